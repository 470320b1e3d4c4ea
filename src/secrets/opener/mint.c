// Owns the making of certificates.
#include "secrets/opener/bridge.h"

#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

enum { DAY = 24 * 3600, HOUR = 3600 };

static X509 *begin(EVP_PKEY *key, const char *name, long seconds)
{
	X509 *certificate = X509_new();
	unsigned char serial[16];
	BIGNUM *number = NULL;
	bool made = certificate && RAND_bytes(serial, sizeof(serial)) == 1;
	serial[0] &= 0x7f; // RFC 5280 4.1.2.2: must be positive
	made = made && (number = BN_bin2bn(serial, sizeof(serial), NULL)) &&
	       BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) &&
	       X509_set_version(certificate, 2) &&
	       X509_gmtime_adj(X509_getm_notBefore(certificate), -HOUR) &&
	       X509_gmtime_adj(X509_getm_notAfter(certificate), seconds) &&
	       X509_set_pubkey(certificate, key) &&
	       X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
					  (const unsigned char *)name, -1, -1, 0);
	BN_free(number);
	if (made)
		return certificate;
	X509_free(certificate);
	return NULL;
}

static bool extend(X509 *certificate, X509 *issuer, int kind, const char *value)
{
	X509V3_CTX context;
	X509V3_set_ctx_nodb(&context);
	X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
	bool made = extension && X509_add_ext(certificate, extension, -1);
	X509_EXTENSION_free(extension);
	return made;
}

// Restricts the authority to the hosts of all rules. RFC 5280 4.2.1.10: a name permits its
// subdomains.
static bool constrain(X509 *authority, const struct keyring *ring)
{
	static char text[SECRETS_MAX * SECRET_HOSTS_MAX * (HOST_NAME_BYTES_MAX + 16) + 16];
	size_t used = (size_t)snprintf(text, sizeof(text), "critical");
	for (unsigned i = 0; i < ring->count; i++)
		for (unsigned j = 0; j < ring->secrets[i].rule.host_count; j++)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 ",permitted;DNS:%s",
						 ring->secrets[i].rule.hosts[j].name);
	return extend(authority, authority, NID_name_constraints, text);
}

bool mint_begin(struct mint *mint, const struct keyring *ring)
{
	mint->leaf_count = 0;
	mint->authority_key = EVP_EC_gen("P-256");
	mint->key = EVP_EC_gen("P-256");
	if (!mint->authority_key || !mint->key)
		return false;
	X509 *authority = begin(mint->authority_key, "sbx: this box alone", 30L * DAY);
	mint->authority = authority;
	return authority && X509_set_issuer_name(authority, X509_get_subject_name(authority)) &&
	       extend(authority, authority, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
	       extend(authority, authority, NID_key_usage, "critical,keyCertSign") &&
	       extend(authority, authority, NID_subject_key_identifier, "hash") &&
	       extend(authority, authority, NID_authority_key_identifier, "keyid:always") &&
	       constrain(authority, ring) &&
	       X509_sign(authority, mint->authority_key, EVP_sha256());
}

size_t mint_text(const struct mint *mint, char *text, size_t size)
{
	BIO *memory = BIO_new(BIO_s_mem());
	char *bytes = NULL;
	size_t length = 0;
	if (memory && PEM_write_bio_X509(memory, mint->authority))
		length = (size_t)BIO_get_mem_data(memory, &bytes);
	length = length < size ? length : 0;
	if (length)
		memcpy(text, bytes, length);
	text[length] = '\0';
	BIO_free(memory);
	return length;
}

static X509 *make_leaf(struct mint *mint, const char *name)
{
	char names[HOST_NAME_BYTES_MAX + 16];
	X509 *leaf = begin(mint->key, "sbx", 7L * DAY);
	snprintf(names, sizeof(names), "DNS:%s", name);
	if (leaf && X509_set_issuer_name(leaf, X509_get_subject_name(mint->authority)) &&
	    extend(leaf, mint->authority, NID_basic_constraints, "critical,CA:FALSE") &&
	    extend(leaf, mint->authority, NID_key_usage, "critical,digitalSignature") &&
	    extend(leaf, mint->authority, NID_ext_key_usage, "serverAuth") &&
	    extend(leaf, mint->authority, NID_subject_key_identifier, "hash") &&
	    extend(leaf, mint->authority, NID_authority_key_identifier, "keyid:always") &&
	    extend(leaf, mint->authority, NID_subject_alt_name, names) &&
	    X509_sign(leaf, mint->authority_key, EVP_sha256()))
		return leaf;
	X509_free(leaf);
	return NULL;
}

X509 *mint_leaf(struct mint *mint, const char *name)
{
	for (unsigned i = 0; i < mint->leaf_count; i++)
		if (strcmp(mint->leaves[i].name, name) == 0)
			return mint->leaves[i].certificate;
	X509 *leaf = make_leaf(mint, name);
	if (!leaf)
		return NULL;
	// When the table is full, replaces the first leaf. Connections that use it hold a
	// reference.
	unsigned at = mint->leaf_count < LEAVES_MAX ? mint->leaf_count++ : 0;
	X509_free(mint->leaves[at].certificate);
	snprintf(mint->leaves[at].name, sizeof(mint->leaves[at].name), "%s", name);
	mint->leaves[at].certificate = leaf;
	return leaf;
}
