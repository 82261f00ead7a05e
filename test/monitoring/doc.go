// Package monitoring tests what an operator loads into Prometheus and Grafana:
// that every dashboard and rule of this repository uses the metrics that the
// program exports, each according to its kind and unit, and that a real
// Prometheus answers every query. It is a module of its own, so that the query
// parser and the dashboard SDK stay out of the program's.
package monitoring
