// Owns the reading of [secret NAME].
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "secrets/host/credentials.h"
#include "secrets/dialogue/dialogue.h"
#include "plan.h"
#include "text/words.h"

enum { ROOTS_BYTES_MAX = 4 << 20 };

// Files of trusted certificates in distributions. The first that exists counts.
static const char *const root_files[] = {
	"/etc/ssl/certs/ca-certificates.crt",                // Debian, Ubuntu, Arch, Alpine
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // Fedora, RHEL
	"/etc/ssl/ca-bundle.pem",                            // openSUSE
	"/etc/ssl/cert.pem",
};

// Variables that name other files of trusted certificates.
static const char *const own_roots[] = {
	"SSL_CERT_FILE",      "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
	"REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO",
};

// Splits "NAME VALUE": returns the value, and the length of the name.
static const char *split(const struct item *item, size_t *ret_name)
{
	*ret_name = strcspn(item->text, " ");
	const char *value = item->text + *ret_name;
	return value + strspn(value, " ");
}

static int bad(const struct plan *plan, const struct item *item, const char *expected)
{
	size_t length;
	const char *value = split(item, &length);
	return fail(0, "%ssecret %.*s: '%.80s' is not %s", origin_text(plan->arena, item->from),
		    (int)length, item->text, value, expected);
}

static bool is_word(const char *text, const char *more)
{
	for (const char *at = text; *at; at++) {
		bool digit = isdigit((unsigned char)*at) && (at > text || strchr(more, '-'));
		if (!isalpha((unsigned char)*at) && !digit && !strchr(more, *at))
			return false;
	}
	return text[0] != '\0';
}

static struct credential *find(struct plan *plan, const char *name, size_t length)
{
	for (unsigned i = 0; i < plan->credential_count; i++)
		if (strlen(plan->credentials[i].name) == length &&
		    memcmp(plan->credentials[i].name, name, length) == 0)
			return &plan->credentials[i];
	return NULL;
}

// Refuses a rule of a project's file, even of a trusted one: another user may have written it.
static int check_origin(const struct plan *plan, const struct item *item)
{
	bool own = item->from.order >= ORDER_UNTRUSTED && item->from.order < ORDER_FLAGS;
	return own ? fail(0,
			  "%sa project's file names no secrets; write [secret] in a profile of "
			  "yours "
			  "and give --profile",
			  origin_text(plan->arena, item->from))
		   : 0;
}

static int take_name(struct plan *plan, const struct item *item)
{
	size_t length;
	split(item, &length);
	TRY(check_origin(plan, item));
	if (find(plan, item->text, length))
		return 0;
	const char *name = arena_copy(plan->arena, item->text, length);
	if (!plan->credentials)
		plan->credentials =
			arena_take(plan->arena, SECRETS_MAX * sizeof(*plan->credentials));
	if (length > SECRET_NAME_MAX || !is_word(name, "-_"))
		return fail(0,
			    "%s'%.80s' cannot name a secret: letters, digits, - and _, at most 32",
			    origin_text(plan->arena, item->from), name);
	if (plan->credential_count == SECRETS_MAX)
		return fail(0, "%smore than %d secrets", origin_text(plan->arena, item->from),
			    SECRETS_MAX);
	plan->credentials[plan->credential_count++] =
		(struct credential){ .name = name, .from = item->from };
	return 0;
}

static int take_host(struct plan *plan, struct profile *profile, struct credential *credential,
		     const struct item *item, const char *value)
{
	(void)profile;
	struct destination destination;
	bool name =
		destination_parse(value, &destination) && !destination.suffix &&
		(destination.kind == DESTINATION_NAME || destination.kind == DESTINATION_BELOW) &&
		strchr(destination.name, '.') && !host_within(destination.name, "localhost");
	if (!name)
		return bad(plan, item,
			   "a name with a dot or *.domain, of a server that speaks TLS (this "
			   "machine cannot be one), with or without ports");
	if (list_count(&credential->hosts) == SECRET_HOSTS_MAX)
		return bad(plan, item, "one of at most 8 hosts");
	list_add(&credential->hosts, plan->arena,
		 destination.port_count ? value : arena_text(plan->arena, "%s:443", value),
		 item->from);
	return 0;
}

static int take_file(struct plan *plan, struct profile *profile, struct credential *credential,
		     const struct item *item, const char *path)
{
	if (str_starts(path, "~/"))
		path = path_join(plan->arena, plan->home, path + 2);
	if (path[0] != '/')
		return bad(plan, item, "file and a path that begins with / or ~/");
	credential->kind = SECRET_FILE;
	credential->source = path_clean(plan->arena, path);
	list_add(&profile->hide, plan->arena, credential->source, item->from);
	return 0;
}

static int take_source(struct plan *plan, struct profile *profile, struct credential *credential,
		       const struct item *item, const char *value)
{
	bool variable = str_starts(value, "env "), file = str_starts(value, "file ");
	if (!variable && !file)
		return bad(plan, item, "env VARIABLE or file PATH");
	value += variable ? strlen("env ") : strlen("file ");
	value += strspn(value, " ");
	if (file)
		return take_file(plan, profile, credential, item, value);
	if (!is_word(value, "_"))
		return bad(plan, item, "env and the name of a variable");
	// The first variable with a value counts.
	const char *set = credential->kind == SECRET_VARIABLE && credential->source
				  ? getenv(credential->source)
				  : NULL;
	if (set && *set)
		return 0;
	credential->kind = SECRET_VARIABLE;
	credential->tried = credential->tried
				    ? arena_text(plan->arena, "%s or %s", credential->tried, value)
				    : value;
	credential->source = value;
	return 0;
}

static int take_variable(struct plan *plan, struct profile *profile, struct credential *credential,
			 const struct item *item, const char *value)
{
	(void)profile;
	if (!is_word(value, "_"))
		return bad(plan, item, "the name of a variable");
	list_add(&credential->variables, plan->arena, value, item->from);
	return 0;
}

static int take_header(struct plan *plan, struct profile *profile, struct credential *credential,
		       const struct item *item, const char *value)
{
	(void)profile;
	// Headers of HTTP itself, and Cookie.
	static const char *const never[] = { "host",       "content-length", "transfer-encoding",
					     "connection", "cookie",         "content-type",
					     "expect",     "trailer",        "upgrade" };
	char lower[SECRET_HEADER_MAX + 1] = "";
	size_t length = strlen(value);
	bool good = length <= SECRET_HEADER_MAX && is_word(value, "-_");
	for (size_t i = 0; good && i < length; i++)
		lower[i] = (char)tolower((unsigned char)value[i]);
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		good = good && !str_equal(lower, never[i]);
	if (!good || list_count(&credential->headers) == SECRET_HEADERS_MAX)
		return bad(plan, item, "a header that can carry a key (8 at most)");
	list_add(&credential->headers, plan->arena, arena_copy(plan->arena, lower, length),
		 item->from);
	return 0;
}

static int take_only(struct plan *plan, struct profile *profile, struct credential *credential,
		     const struct item *item, const char *value)
{
	(void)profile;
	bool yes = str_equal(value, "yes");
	if (!yes && !str_equal(value, "no"))
		return bad(plan, item, "yes or no");
	credential->others = !yes;
	return 0;
}

static int complete(struct plan *plan, struct credential *credential)
{
	const char *where = origin_text(plan->arena, credential->from);
	if (!credential->hosts.first || !credential->source)
		return fail(0,
			    "%ssecret %s needs both: host = HOST and from = env VARIABLE|file PATH",
			    where, credential->name);
	if (credential->variables.first)
		return 0;
	if (credential->kind == SECRET_FILE)
		return fail(
			0,
			"%ssecret %s needs env = VARIABLE, which holds its placeholder in the box",
			where, credential->name);
	list_add(&credential->variables, plan->arena, credential->source, credential->from);
	return 0;
}

static int read_roots(struct plan *plan, const char *path)
{
	const char *text;
	size_t length;
	int found =
		file_read(AT_FDCWD, path, FILE_LINK, ROOTS_BYTES_MAX, plan->arena, &text, &length);
	if (found < 0)
		return file_failed(path, ROOTS_BYTES_MAX);
	plan->roots = arena_text(plan->arena, "%s%s", plan->roots ? plan->roots : "",
				 textsecret_certificates(plan->arena, text));
	return found;
}

static int find_roots(struct plan *plan)
{
	struct stat status;
	const char *read[sizeof(own_roots) / sizeof(*own_roots)];
	unsigned done = 0;
	for (size_t i = 0; !plan->roots_path && i < sizeof(root_files) / sizeof(*root_files); i++)
		if (stat(root_files[i], &status) == 0 && S_ISREG(status.st_mode))
			plan->roots_path = root_files[i];
	if (!plan->roots_path)
		return fail(0, "a secret needs the list of certificates that this machine trusts; "
			       "install the package ca-certificates");
	TRY(read_roots(plan, plan->roots_path));
	for (size_t i = 0; i < sizeof(own_roots) / sizeof(*own_roots); i++) {
		const char *path = getenv(own_roots[i]);
		bool again = !path || path[0] != '/' || str_equal(path, plan->roots_path);
		for (unsigned j = 0; !again && j < done; j++)
			again = str_equal(path, read[j]);
		if (again)
			continue;
		TRY(read_roots(plan, path));
		read[done++] = path;
	}
	return plan->roots[0] ? 0
			      : fail(0, "'%s' holds no certificate that could be trusted",
				     plan->roots_path);
}

static void allow(struct plan *plan)
{
	for (unsigned i = 0; i < plan->credential_count; i++) {
		const struct credential *credential = &plan->credentials[i];
		list_each (item, &credential->hosts) {
			list_add(&plan->egress.allow, plan->arena, item->text, item->from);
			list_add(&plan->egress.reasons, plan->arena,
				 arena_text(plan->arena, "opened for secret %s", credential->name),
				 item->from);
		}
	}
}

int keys_plan(struct plan *plan, struct profile *profile)
{
	const struct {
		const struct list *list;
		int (*take)(struct plan *plan, struct profile *profile,
			    struct credential *credential, const struct item *item,
			    const char *value);
	} rows[] = {
		{ &profile->secret_hosts, take_host },
		{ &profile->secret_sources, take_source },
		{ &profile->secret_variables, take_variable },
		{ &profile->secret_headers, take_header },
		{ &profile->secret_only, take_only },
	};
	size_t length;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		list_each (item, rows[i].list)
			TRY(take_name(plan, item));
	if (plan->credential_count == 0)
		return 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		list_each (item, rows[i].list) {
			const char *value = split(item, &length);
			TRY(rows[i].take(plan, profile, find(plan, item->text, length), item,
					 value));
		}
	for (unsigned i = 0; i < plan->credential_count; i++)
		TRY(complete(plan, &plan->credentials[i]));
	if (profile->network != NETWORK_PROXY)
		return fail(0,
			    profile->read.first
				    ? "a secret goes by sbx's own proxy: --network proxy"
				    : "a box of this profile has no /usr and no network; write in "
				      "the profile: extends = default");
	if (plan->tier != TIER_FULL)
		return fail(0, "a secret needs a box with namespaces, which shows the certificate: "
			       "--isolation namespaces");
	allow(plan);
	return find_roots(plan);
}
