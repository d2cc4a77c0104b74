// Renders templates with Go: one JSON string per line on stdin, one {"ok", "text"} per line on stdout.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"text/template"
)

var fields = map[string]string{"a": " Ada,Bob ", "b": "", "größe": "ß", "zip": "01234"}
var all = map[string][]string{"a": {" Ada", "Bob "}, "größe": {"ß"}, "zip": {"01234"}}

var functions = template.FuncMap{
	"trim":  strings.TrimSpace,
	"lower": strings.ToLower,
	"upper": strings.ToUpper,
	"default": func(literal, value string) string {
		if value == "" {
			return literal
		}
		return value
	},
	"env":    func(name string) string { return map[string]string{"X": "x y"}[name] },
	"values": func(field string) []string { return all[field] },
	"join":   func(separator string, list []string) string { return strings.Join(list, separator) },
}

type answer struct {
	Ok   bool   `json:"ok"`
	Text string `json:"text"`
}

func render(source string) answer {
	parsed, err := template.New("t").Funcs(functions).Option("missingkey=zero").Parse(source)
	if err != nil {
		return answer{false, err.Error()}
	}
	var out strings.Builder
	data := map[string]any{"fields": fields, "form": map[string]string{"id": "contact"}, "submitted_at": "2026-01-01T00:00:00Z"}
	if err := parsed.Execute(&out, data); err != nil {
		return answer{false, err.Error()}
	}
	return answer{true, out.String()}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	encoder := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var source string
		if err := json.Unmarshal(lines.Bytes(), &source); err != nil {
			panic(err)
		}
		encoder.Encode(render(source))
	}
}
