// Owns the completions of bash, zsh and fish.
#include "gen/gen.h"

#include <stdio.h>
#include <string.h>

#include "cli/verbs.h"
#include "policy/keys.h"

// The words of sbx that list what a value may be, a name first in each line; NULL: nobody does.
static const char *names_of(const struct key *key)
{
	static const struct {
		enum key_form form;
		const char *words;
	} lists[] = {
		{ FORM_PROFILE, "profile list" },
		{ FORM_SESSION, "session list" },
		{ FORM_DESTINATION, "profile groups" },
		{ FORM_RULE, "profile groups" },
	};
	for (unsigned i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (key->form == lists[i].form)
			return lists[i].words;
	return NULL;
}

static void bash_values(const struct key *key)
{
	printf("\t--%s", key->flag);
	if (key->letter)
		printf(" | -%c", key->letter);
	printf(")\n");
	if (key->form == FORM_PATH)
		printf("\t\tcompopt -o filenames\n\t\tmapfile -t COMPREPLY < <(compgen -f -- "
		       "\"$word\")\n");
	else if (names_of(key))
		printf("\t\tmapfile -t COMPREPLY < <(compgen -W \"$(sbx %s 2>/dev/null | cut -d' ' "
		       "-f1)\" "
		       "-- \"$word\")\n",
		       names_of(key));
	else if (key->words) {
		printf("\t\tmapfile -t COMPREPLY < <(compgen -W '");
		for (unsigned i = 0; key->words[i]; i++)
			printf("%s%s", i ? " " : "", key->words[i]);
		printf("' -- \"$word\")\n");
	} else
		printf("\t\tCOMPREPLY=()\n");
	printf("\t\treturn\n\t\t;;\n");
}

void gen_bash(void)
{
	printf("# bash completion for sbx, made from its table of keys\n_sbx() {\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	       "\tif ((COMP_CWORD == 1)); then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	for (unsigned i = 0; i < verb_row_count; i++)
		printf("%s ", verb_rows[i].name);
	printf("--help --version' -- \"$word\")\n\t\treturn\n\tfi\n\tcase $before in\n");
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (key->flag && key->kind != KEY_SWITCH)
			bash_values(key);
	printf("\tesac\n\tlocal flags= actions= names=\n\tcase ${COMP_WORDS[1]} in\n");
	for (unsigned verb = 0; verb < verb_row_count; verb++) {
		printf("\t%s) flags='", verb_rows[verb].name);
		for (const struct key *key = keys; key < keys + key_count; key++)
			if (key->flag && (key->verbs & (1U << verb)))
				printf("--%s ", key->flag);
		printf("' actions='%s' names='%s' ;;\n",
		       verb_rows[verb].actions ? verb_rows[verb].actions : "",
		       verb_rows[verb].names ? verb_rows[verb].names : "");
	}
	printf("\tesac\n\tif [[ $word == -* ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$word\")\n"
	       "\telif [[ -n $actions && $COMP_CWORD == 2 ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W \"$actions\" -- \"$word\")\n"
	       "\telif [[ -n $names ]]; then\n"
	       "\t\tcompopt -o filenames\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -f -W \"$(sbx $names 2>/dev/null | cut -d' ' "
	       "-f1)\" -- \"$word\")\n"
	       "\telse\n"
	       "\t\tcompopt -o filenames\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -c -f -- \"$word\")\n\tfi\n}\n"
	       "complete -F _sbx sbx\n");
}

// Single quotes, brackets and colons mean something to zsh's _arguments.
static void zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("'\\'");
		else if (strchr("[]:", *text))
			putchar('\\');
		putchar(*text);
	}
}

static void zsh_flag(const struct key *key)
{
	printf("\t\t\t'%s--%s%s[", key->kind == KEY_LIST ? "*" : "", key->flag,
	       key->kind == KEY_SWITCH ? "" : "=");
	zsh_text(key->help);
	printf("]");
	if (key->kind != KEY_SWITCH)
		printf(":%s:", key->form == FORM_PATH ? "path" : "value");
	if (key->form == FORM_PATH)
		printf("_files");
	else if (names_of(key))
		printf("{ _sbx_names %s }", names_of(key));
	else if (key->words) {
		printf("(");
		for (unsigned i = 0; key->words[i]; i++)
			printf("%s%s", i ? " " : "", key->words[i]);
		printf(")");
	}
	printf("' \\\n");
}

void gen_zsh(void)
{
	printf("#compdef sbx\n# zsh completion for sbx, made from its table of keys\n"
	       "_sbx_names() { compadd $(sbx $1 $2 2>/dev/null | cut -d' ' -f1) }\n"
	       "_sbx() {\n\tif (( CURRENT == 2 )); then\n\t\tcompadd");
	for (unsigned i = 0; i < verb_row_count; i++)
		printf(" %s", verb_rows[i].name);
	printf(" -- --help --version\n\t\treturn\n\tfi\n\tlocal verb=$words[2]\n"
	       "\tshift words\n\t(( CURRENT-- ))\n\tcase $verb in\n");
	for (unsigned verb = 0; verb < verb_row_count; verb++) {
		printf("\t\t%s) _arguments -S \\\n", verb_rows[verb].name);
		for (const struct key *key = keys; key < keys + key_count; key++)
			if (key->flag && (key->verbs & (1U << verb)))
				zsh_flag(key);
		if (verb_rows[verb].actions)
			printf("\t\t\t'1:action:(%s)' '*:file:{ %s%s; _files }' ;;\n",
			       verb_rows[verb].actions,
			       verb_rows[verb].names ? "_sbx_names " : "true",
			       verb_rows[verb].names ? verb_rows[verb].names : "");
		else
			printf("\t\t\t'*::command:_normal' ;;\n");
	}
	printf("\tesac\n}\n_sbx \"$@\"\n");
}

static void fish_text(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

void gen_fish(void)
{
	printf("# fish completion for sbx, made from its table of keys\ncomplete -c sbx -f\n");
	for (unsigned i = 0; i < verb_row_count; i++) {
		printf("complete -c sbx -n __fish_use_subcommand -a %s -d ", verb_rows[i].name);
		fish_text(verb_rows[i].help);
		if (verb_rows[i].actions)
			printf("\ncomplete -c sbx -n '__fish_seen_subcommand_from %s' -a '%s'",
			       verb_rows[i].name, verb_rows[i].actions);
		if (verb_rows[i].names)
			printf("\ncomplete -c sbx -n '__fish_seen_subcommand_from %s' -a '(sbx %s "
			       "2>/dev/null | cut -d\" \" -f1)'",
			       verb_rows[i].name, verb_rows[i].names);
		printf("\n");
	}
	for (const struct key *key = keys; key < keys + key_count; key++) {
		if (!key->flag)
			continue;
		printf("complete -c sbx -n '__fish_seen_subcommand_from");
		for (unsigned verb = 0; verb < verb_row_count; verb++)
			if (key->verbs & (1U << verb))
				printf(" %s", verb_rows[verb].name);
		printf("' -l %s", key->flag);
		if (key->letter)
			printf(" -s %c", key->letter);
		if (key->kind != KEY_SWITCH)
			printf(" -r");
		if (key->form == FORM_PATH)
			printf(" -F");
		if (names_of(key))
			printf(" -a '(sbx %s 2>/dev/null | cut -d\" \" -f1)'", names_of(key));
		if (key->words) {
			printf(" -a '");
			for (unsigned i = 0; key->words[i]; i++)
				printf("%s%s", i ? " " : "", key->words[i]);
			printf("'");
		}
		printf(" -d ");
		fish_text(key->help);
		printf("\n");
	}
}
