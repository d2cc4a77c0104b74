// A relay for one form, as somebody would write it by hand in Go. Run by http.ts and smtp.ts:
//
//	relay http <sink's origin>   posts each submission to the sink
//	relay smtp <sink's port>     mails each, over connections that are kept
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/mail"
	"net/smtp"
	"net/url"
	"os"
	"strings"
	"time"
)

type field struct {
	name     string
	required bool
	email    bool
}

// Sorted, as the lines of a mail are.
var fields = []field{{"company", false, false}, {"email", true, true}, {"message", true, false}, {"name", true, false}}

type logLine struct {
	Time  string `json:"time"`
	Level string `json:"level"`
	Event string `json:"event"`
	Ms    int64  `json:"ms"`
}

func problems(form url.Values) string {
	for _, field := range fields {
		value := form.Get(field.name)
		if field.required && strings.TrimSpace(value) == "" {
			return field.name + " is required"
		}
		if len(value) > 10_000 {
			return field.name + " is too long"
		}
		if field.email && value != "" {
			if _, err := mail.ParseAddress(value); err != nil {
				return field.name + " is no address"
			}
		}
	}
	return ""
}

func main() {
	deliver := overHTTP(os.Args[2])
	if os.Args[1] == "smtp" {
		deliver = overSMTP(os.Args[2])
	}
	logger := json.NewEncoder(os.Stderr)
	lines := make(chan logLine, 1024)
	go func() {
		for line := range lines {
			_ = logger.Encode(line)
		}
	}()
	http.HandleFunc("/api/v1/submit/contact", func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 65_536)
		if err := r.ParseForm(); err != nil {
			answer(w, http.StatusBadRequest, "error", "malformed body")
			return
		}
		if r.PostForm.Get("website") != "" {
			answer(w, http.StatusOK, "message", "ok")
			return
		}
		if problem := problems(r.PostForm); problem != "" {
			answer(w, http.StatusUnprocessableEntity, "error", problem)
			return
		}
		started := time.Now()
		err := deliver(r.PostForm)
		line := logLine{started.UTC().Format(time.RFC3339Nano), "info", "delivered", time.Since(started).Milliseconds()}
		if err != nil {
			line.Level, line.Event = "error", "delivery_failed"
			lines <- line
			answer(w, http.StatusInternalServerError, "error", "delivery failed")
			return
		}
		lines <- line
		answer(w, http.StatusOK, "message", "ok")
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	panic(http.Serve(listener, nil))
}

func answer(w http.ResponseWriter, status int, key, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{key: text})
}

func overHTTP(sink string) func(url.Values) error {
	// Its default keeps two connections to a host.
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	return func(form url.Values) error {
		payload := url.Values{}
		for _, field := range fields {
			if values := form[field.name]; len(values) > 0 {
				payload[field.name] = values
			}
		}
		body := strings.NewReader(payload.Encode())
		response, err := client.Post(sink+"/hook", "application/x-www-form-urlencoded", body)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, response.Body)
		if response.StatusCode >= 400 {
			return fmt.Errorf("the sink answered %d", response.StatusCode)
		}
		return nil
	}
}

func overSMTP(port string) func(url.Values) error {
	kept := make(chan *smtp.Client, 20)
	return func(form url.Values) error {
		var client *smtp.Client
		select {
		case client = <-kept:
		default:
			var err error
			if client, err = smtp.Dial("127.0.0.1:" + port); err != nil {
				return err
			}
		}
		if err := send(client, message(form)); err != nil {
			client.Close()
			return err
		}
		select {
		case kept <- client:
		default:
			return client.Quit()
		}
		return nil
	}
}

func send(client *smtp.Client, text []byte) error {
	if err := client.Mail("relay@forms.example"); err != nil {
		return err
	}
	if err := client.Rcpt("office@firm.example"); err != nil {
		return err
	}
	writer, err := client.Data()
	if err != nil {
		return err
	}
	if _, err := writer.Write(text); err != nil {
		return err
	}
	return writer.Close()
}

func message(form url.Values) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "From: relay@forms.example\r\nTo: office@firm.example\r\nReply-To: %s\r\n", form.Get("email"))
	fmt.Fprintf(&text, "Subject: Form submission: contact\r\nDate: %s\r\n", time.Now().Format(time.RFC1123Z))
	fmt.Fprintf(&text, "Message-ID: <%d@forms.example>\r\nMIME-Version: 1.0\r\n", time.Now().UnixNano())
	text.WriteString("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n")
	body := quotedprintable.NewWriter(&text)
	for _, field := range fields {
		for _, value := range form[field.name] {
			fmt.Fprintf(body, "%s=%s\r\n", field.name, value)
		}
	}
	_ = body.Close()
	return text.Bytes()
}
