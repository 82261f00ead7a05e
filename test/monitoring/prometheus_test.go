package monitoring

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/program"
)

// A server is the API of a Prometheus that runs in the namespace of a test.
type server struct{ address string }

// get asks an endpoint of https://prometheus.io/docs/prometheus/latest/querying/api/
// and reads the data of the answer.
func (s *server) get(path string, query url.Values, data any) error {
	client := http.Client{Transport: program.Here{}, Timeout: 20 * time.Second}
	response, err := client.Get("http://" + s.address + "/api/v1/" + path + "?" + query.Encode())
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct {
		Error string
		Data  json.RawMessage
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %s: %w", path, response.Status, err)
	}
	if answer.Error != "" {
		return fmt.Errorf("%s: %s", query.Get("query"), answer.Error)
	}
	return json.Unmarshal(answer.Data, data)
}

// A point is a time and a value, as Prometheus writes it: [1700000000.1, "0.5"].
type point [2]any

// series is one series of an answer.
type series struct {
	Value  point
	Values []point
}

// instant asks for the value of now.
func (s *server) instant(query string) ([]series, error) {
	var data struct{ Result []series }
	err := s.get("query", url.Values{"query": {query}}, &data)
	return data.Result, err
}

// overTime asks for the values of the latest seconds.
func (s *server) overTime(query string) ([]series, error) {
	var data struct{ Result []series }
	now := time.Now()
	err := s.get("query_range", url.Values{
		"query": {query},
		"start": {strconv.FormatInt(now.Add(-5*time.Second).Unix(), 10)},
		"end":   {strconv.FormatInt(now.Unix(), 10)},
		"step":  {"1"},
	}, &data)
	return data.Result, err
}

// labelValues asks for the values of a label among the series of a selector.
func (s *server) labelValues(selector, label string) (values []string, err error) {
	query := url.Values{}
	if selector != "" {
		query.Set("match[]", selector)
	}
	err = s.get("label/"+label+"/values", query, &values)
	return values, err
}

// numbers fails where an answer holds no number: where it is empty, or all NaN
// or infinite.
func numbers(query string, answer []series, err error) error {
	if err != nil {
		return err
	}
	for _, s := range answer {
		for _, p := range append(s.Values, s.Value) {
			text, ok := p[1].(string)
			if v, err := strconv.ParseFloat(text, 64); ok && err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
				return nil
			}
		}
	}
	return fmt.Errorf("%d series without a number answer %s", len(answer), query)
}
