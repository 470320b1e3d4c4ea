// The plan of what is kept from the box: what the host later runs or trusts, in the project, its
// repositories and the home.
//
// The room view/protect owns the walls around names that the host executes or trusts. Uses: base
// git names nouns report trees view/paths. Begin with protect_plan.c.
#pragma once

struct wishes;

// Adds the project and its protection to the wishes; notes in the plan what is looked for
// afterwards. Nothing is ever created in the user's tree for it.
int protect_plan(struct wishes *wishes);
