package main

// What --help says of the program and of each command.

const appHelp = `Prometheus exporter for DPUs (BlueField, Intel IPU/E810, AMD Pensando, any switchdev NIC) and the hosts they sit in.

Without a command it serves metrics on :10042. It needs no privileges to start; what a missing capability or kernel feature switches off is logged at the start, shown on the page / and listed by "dpu-exporter check".`

const serveHelp = `Serve /metrics, a page for people on /, /-/healthy and /-/ready.

SIGTERM ends it within 2 seconds; SIGHUP reloads the configuration files, and a bad file leaves the old configuration in force.

  dpu-exporter
  dpu-exporter --web.listen-address=127.0.0.1:10042 --device.exclude='veth.*'
  dpu-exporter --collector.disable-defaults --collector.interface`

const metricsHelp = `Print one collection in text format and exit, or describe all metrics.

The output is fit for the textfile directory of node_exporter:

  D=/var/lib/prometheus/node-exporter
  dpu-exporter metrics > $D/dpu.prom.$$ && mv $D/dpu.prom.$$ $D/dpu.prom || rm -f $D/dpu.prom.$$

It fails if no collector that reads the machine worked, so that a good file is not replaced by a bad one.

  dpu-exporter metrics --describe=text | grep slow_path`

const checkHelp = `Check the configuration, the permissions and the kernel's features, and print all findings at once.

"error" is something that was asked for and cannot work (exit status 1); "note" is an optional feature that is off here, and why. It takes the flags of serve, so give it the command line of your unit.

  dpu-exporter check --config.file=/etc/dpu-exporter/node.yml`
