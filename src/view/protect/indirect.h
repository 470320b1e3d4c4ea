// What links in protected directories lead to: the host runs or trusts it by the name of the link.
#pragma once

struct wishes;

// After all walls. Protects such files and directories where the box could write them, and what
// links in these lead to. One that cannot be protected is noted, and compared after the run.
int indirect_protect(struct wishes *wishes);
