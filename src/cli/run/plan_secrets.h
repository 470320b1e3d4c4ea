// What a plan says of secrets that stay outside.
#pragma once

struct out;
struct plan;

void plan_secrets_text(struct out *out, const struct plan *plan);
void plan_secrets_json(struct out *out, const struct plan *plan);
