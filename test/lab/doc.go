// Package lab holds the tests that need a kernel with devlink, switchdev, RDMA
// and Open vSwitch. They are built with the tag lab and run as root of a
// virtual machine: `make lab`. README.md says what is real in it.
package lab
