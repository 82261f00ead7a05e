package metric

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Formats are the formats Describe knows.
var Formats = []string{"text", "markdown", "json"}

// Describe writes the whole table to w in one of Formats: name, kind, unit,
// labels, help, source and proof of each row, grouped by collector. The
// markdown is docs/metrics.md.
func (t Table) Describe(w io.Writer, format string) error {
	var text string
	switch format {
	case "text":
		text = t.text()
	case "markdown":
		text = t.markdown()
	case "json":
		b, err := t.json()
		if err != nil {
			return fmt.Errorf("describe metrics: %w", err)
		}
		text = string(b)
	default:
		return fmt.Errorf("describe metrics: unknown format %q, use one of %s", format, strings.Join(Formats, ", "))
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("describe metrics: %w", err)
	}
	return nil
}

func (t Table) text() string {
	var b strings.Builder
	for i, g := range t {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s\n", g.Name, g.Help)
		for _, r := range g.Rows {
			fmt.Fprintf(&b, "\n  %s", r.Name)
			if len(r.Labels) > 0 {
				fmt.Fprintf(&b, "{%s}", strings.Join(r.Labels, ","))
			}
			fmt.Fprintf(&b, "\n      %s", r.Kind)
			if r.Unit != "" {
				fmt.Fprintf(&b, " of %s", r.Unit)
			}
			fmt.Fprintf(&b, "; proof: %s\n      %s\n      from: %s\n", r.Proof, r.Help, r.Source)
		}
	}
	return b.String()
}

const markdownIntro = `# Metrics

This file is generated from the table of metrics; change the rows, not this file:

    go run ./cmd/dpu-exporter metrics --describe=markdown > docs/metrics.md

Proof says how far a row has been checked. *live*: a test reads it from a real
kernel interface. *replayed*: a test reads it from a capture of a real device.
*source*: known from kernel or vendor source only.
`

func (t Table) markdown() string {
	var b strings.Builder
	b.WriteString(markdownIntro)
	for _, g := range t {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", g.Name, cell(g.Help))
		b.WriteString("| Name | Kind | Unit | Labels | Help | Source | Proof |\n|---|---|---|---|---|---|---|\n")
		for _, r := range g.Rows {
			var labels []string
			for _, l := range r.Labels {
				labels = append(labels, "`"+l+"`")
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n",
				r.Name, r.Kind, cell(r.Unit), strings.Join(labels, ", "), cell(r.Help), cell(r.Source), r.Proof)
		}
	}
	return b.String()
}

// cell makes text safe in a cell of a Markdown table.
func cell(text string) string {
	return strings.NewReplacer("\n", " ", "|", `\|`, "<", "&lt;", "*", `\*`).Replace(text)
}

func (t Table) json() ([]byte, error) {
	type row struct {
		Name   string   `json:"name"`
		Kind   string   `json:"kind"`
		Unit   string   `json:"unit,omitempty"`
		Labels []string `json:"labels,omitempty"`
		Help   string   `json:"help"`
		Source string   `json:"source"`
		Proof  string   `json:"proof"`
	}
	type group struct {
		Name string `json:"name"`
		Help string `json:"help"`
		Rows []row  `json:"metrics"`
	}
	groups := make([]group, 0, len(t))
	for _, g := range t {
		out := group{Name: g.Name, Help: g.Help, Rows: make([]row, 0, len(g.Rows))}
		for _, r := range g.Rows {
			out.Rows = append(out.Rows, row{r.Name, r.Kind.String(), r.Unit, r.Labels, r.Help, r.Source, r.Proof.String()})
		}
		groups = append(groups, out)
	}
	b, err := json.MarshalIndent(groups, "", "  ")
	return append(b, '\n'), err
}
