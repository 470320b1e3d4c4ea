// Two names on one address by Go's net/http and crypto/tls.     main LAB ADDRESS N
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	lab, address, allowed := os.Args[1], os.Args[2], "www"+os.Args[3]+".allowed.test"
	out, err := os.OpenFile(lab+"/go.seen", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0644)
	if err != nil {
		log.Fatal(err)
	}
	good, err := tls.LoadX509KeyPair(lab+"/allowed.pem", lab+"/allowed.key")
	if err != nil {
		log.Fatal(err)
	}
	bad, err := tls.LoadX509KeyPair(lab+"/forbidden.pem", lab+"/forbidden.key")
	if err != nil {
		log.Fatal(err)
	}
	isAllowed := func(name string) bool {
		name, _, _ = strings.Cut(strings.ToLower(name), ":")
		return strings.TrimSuffix(name, ".") == allowed
	}
	seen := func(name string) bool {
		if isAllowed(name) {
			return true
		}
		fmt.Fprintln(out, name)
		return false
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen(r.Host) {
			io.WriteString(w, "ALLOWED-go\n")
		} else {
			fmt.Fprintf(w, "FORBIDDEN-go-[%s]-%s;\n", r.Host, r.Proto)
		}
	})
	config := &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if seen(hello.ServerName) {
			return &good, nil
		}
		return &bad, nil
	}}
	quiet := log.New(io.Discard, "", 0)
	serve := func(port string) *http.Server {
		return &http.Server{Addr: address + ":" + port, Handler: handler, ErrorLog: quiet,
			TLSConfig: config.Clone(), ReadTimeout: 40 * time.Second, IdleTimeout: 40 * time.Second}
	}
	for _, port := range []string{"80", "8080"} {
		go func(port string) { log.Fatal(serve(port).ListenAndServe()) }(port)
	}
	go func() { log.Fatal(serve("443").ListenAndServeTLS("", "")) }()
	log.Fatal(serve("8443").ListenAndServeTLS("", ""))
}
