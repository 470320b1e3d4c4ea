// What git's configuration outside of repositories says in a box: all of it but what is secret.
#pragma once

struct wishes;

// After the project and its protection. `wishes->places` gets the files of secrets that it names.
int filtered_plan(struct wishes *wishes);
