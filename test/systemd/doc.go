// Package systemd tests what deploy/systemd ships: against the table of
// abilities, with systemd's own checks, and under a real systemd.
package systemd
