package metric

// A Group is the rows of one collector.
type Group struct {
	Name string // the collector's name, as in --collector.NAME
	Help string // one line: what the collector reads
	Rows []*Row // in the order in which they are exposed
}

// A Table is every metric the program can export.
type Table []Group

// Rows returns the rows of all groups, in order.
func (t Table) Rows() []*Row {
	var rows []*Row
	for _, g := range t {
		rows = append(rows, g.Rows...)
	}
	return rows
}
