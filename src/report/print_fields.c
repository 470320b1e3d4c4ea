// Owns the two forms of an answer, text and JSON.
#include "report/print_fields.h"

#include "base/base.h"

void print_begin(struct out *out, const char *form, const char *list)
{
	if (out->json)
		json_begin(out, form);
	if (list)
		print_open(out, list, '[');
}

void print_end(struct out *out, const char *list)
{
	if (list)
		print_close(out, ']');
	if (out->json)
		json_end(out);
}

void print_open(struct out *out, const char *key, char bracket)
{
	if (out->json)
		json_open(out, key, bracket);
}

void print_close(struct out *out, char bracket)
{
	if (out->json)
		json_close(out, bracket);
}

static void put_member(struct out *out, const struct print_field *field)
{
	switch (field->kind) {
	case FIELD_END:
		return;
	case FIELD_TEXT:
		json_string(out, field->key, field->text);
		return;
	case FIELD_NUMBER:
		json_number(out, field->key, field->number);
		return;
	case FIELD_FLAG:
		json_flag(out, field->key, field->number);
		return;
	case FIELD_LIST:
		json_open(out, field->key, '[');
		list_each (item, field->list)
			json_string(out, NULL, item->text);
		json_close(out, ']');
		return;
	}
}

static void put_shown(struct out *out, const struct print_field *field)
{
	if (field->kind == FIELD_FLAG)
		out_text(out, "%s", field->number ? field->after : "");
	else if (field->kind == FIELD_NUMBER)
		out_text(out, "%s%*llu%s", field->before, field->width, field->number,
			 field->after);
	else
		out_text(out, "%s%*s%s", field->before, field->width, str_shown(field->text),
			 field->after);
}

void print_fields(struct out *out, const struct print_field *fields)
{
	for (const struct print_field *at = fields; at->kind != FIELD_END; at++) {
		bool none = at->absent || (at->kind == FIELD_TEXT && !at->text);
		if (none && out->json && at->stays)
			json_null(out, at->key);
		if (none)
			continue;
		if (out->json && at->key)
			put_member(out, at);
		else if (!out->json && (at->before || at->after))
			put_shown(out, at);
	}
}
