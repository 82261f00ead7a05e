package monitoring

import (
	"github.com/grafana/grafana-foundation-sdk/go/bargauge"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/gauge"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/text"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// panelTypes are the kinds of panels whose options are known. The SDK has more;
// all of them take a minute to compile.
var panelTypes = []func() variants.PanelcfgConfig{
	bargauge.VariantConfig, gauge.VariantConfig, heatmap.VariantConfig, stat.VariantConfig, statetimeline.VariantConfig,
	table.VariantConfig, text.VariantConfig, timeseries.VariantConfig,
}

// registerPanels makes the SDK know the panels and queries that are used here.
func registerPanels() {
	sdk := cog.NewRuntime()
	sdk.RegisterDataqueryVariant(prometheus.VariantConfig())
	for _, panel := range panelTypes {
		sdk.RegisterPanelcfgVariant(panel())
	}
}

// checkType finds a kind of panel whose options nobody has read.
func (c *check) checkType(where, kind string) {
	if _, known := cog.NewRuntime().ConfigForPanelcfgVariant(kind); !known {
		c.find(where, "panels of the type %q are not among panelTypes", kind)
	}
}
