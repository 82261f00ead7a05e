package web

import (
	"fmt"
	"net/http"
)

func healthy(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintln(w, "dpu-exporter is healthy.")
}

func (o Options) ready(w http.ResponseWriter, _ *http.Request) {
	if !o.Ready() {
		http.Error(w, "dpu-exporter is not ready yet.", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "dpu-exporter is ready.")
}

func (o Options) reload(w http.ResponseWriter, _ *http.Request) {
	if !o.EnableLifecycle {
		http.Error(w, "Reload over HTTP is off; it is allowed by --web.enable-lifecycle. SIGHUP reloads too.", http.StatusForbidden)
		return
	}
	if err := o.Reload(); err != nil {
		http.Error(w, fmt.Sprintf("Not reloaded, the old configuration stays in force:\n%v", err), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, "Configuration reloaded.")
}
