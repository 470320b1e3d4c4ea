// Owns the requirements on TLS: versions, names, certificates, protocol.
#include "secrets/opener/bridge.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>

static const unsigned char protocols[] = "\x08http/1.1";

// Chooses HTTP/1.1. A client that does not offer it gets an alert.
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *length,
			   const unsigned char *offered, unsigned int size, void *user)
{
	(void)ssl;
	(void)user;
	unsigned char *chosen = NULL;
	if (SSL_select_next_proto(&chosen, length, protocols, sizeof(protocols) - 1, offered,
				  size) != OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	*out = chosen;
	return SSL_TLSEXT_ERR_OK;
}

// The client's SNI must be exactly the host that the worker judged.
static int check_name(SSL *ssl, int *alert, void *user)
{
	const struct bridge *bridge = SSL_get_app_data(ssl);
	const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
	struct host host;
	(void)user;
	if (name && host_parse(name, strlen(name), &host) &&
	    host_equal(&host, &bridge->exchange.host))
		return SSL_TLSEXT_ERR_OK;
	*alert = SSL_AD_UNRECOGNIZED_NAME;
	return SSL_TLSEXT_ERR_ALERT_FATAL;
}

static bool add_roots(const struct opener *opener, X509_STORE *store)
{
	BIO *text = BIO_new_mem_buf(opener->roots, (int)opener->roots_length);
	X509 *root;
	unsigned count = 0;
	while (text && (root = PEM_read_bio_X509_AUX(text, NULL, NULL, NULL))) {
		count += X509_STORE_add_cert(store, root) == 1;
		X509_free(root);
	}
	BIO_free(text);
	ERR_clear_error(); // OpenSSL reports the end of the text as an error
	return count > 0;
}

bool contexts_begin(struct opener *opener)
{
	if (opener->contexts[TO_SERVER])
		return true;
	SSL_CTX *to_client = SSL_CTX_new(TLS_server_method());
	SSL_CTX *to_server = SSL_CTX_new(TLS_client_method());
	if (!to_client || !to_server || !add_roots(opener, SSL_CTX_get_cert_store(to_server)))
		return false;
	opener->contexts[TO_CLIENT] = to_client;
	opener->contexts[TO_SERVER] = to_server;
	for (int side = TO_CLIENT; side <= TO_SERVER; side++) {
		SSL_CTX *context = opener->contexts[side];
		SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
		SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
						     SSL_OP_NO_TICKET);
		SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
		SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
						  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
						  SSL_MODE_RELEASE_BUFFERS);
	}
	SSL_CTX_set_alpn_select_cb(to_client, choose_protocol, NULL);
	SSL_CTX_set_tlsext_servername_callback(to_client, check_name);
	SSL_CTX_set_verify(to_server, SSL_VERIFY_PEER, NULL);
	return SSL_CTX_set_alpn_protos(to_server, protocols, sizeof(protocols) - 1) == 0;
}

static bool for_client(struct opener *opener, const struct bridge *bridge, SSL *ssl)
{
	X509 *leaf = mint_leaf(&opener->mint, bridge->exchange.host.name);
	SSL_set_accept_state(ssl);
	return leaf && SSL_use_certificate(ssl, leaf) == 1 &&
	       SSL_use_PrivateKey(ssl, opener->mint.key) == 1;
}

static bool for_server(struct bridge *bridge, SSL *ssl)
{
	char *name = bridge->exchange.host.name;
	SSL_set_connect_state(ssl);
	SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	return SSL_set_tlsext_host_name(ssl, name) == 1 && SSL_set1_host(ssl, name) == 1;
}

SSL *contexts_new(struct opener *opener, struct bridge *bridge, enum bridge_side side)
{
	SSL *ssl = SSL_new(opener->contexts[side]);
	if (ssl && SSL_set_fd(ssl, bridge->legs[side].fd) == 1 &&
	    SSL_set_app_data(ssl, bridge) == 1 &&
	    (side == TO_CLIENT ? for_client(opener, bridge, ssl) : for_server(bridge, ssl)))
		return ssl;
	SSL_free(ssl);
	return NULL;
}
