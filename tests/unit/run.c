// The table of steps, as what it says of a failure stands on its order.
#include "test.h"

#include "run/decide.h"
#include "run/steps.h"

// What fails before "go" keeps the command from running. After it the command may run already.
static void go_is_last(void **state)
{
	int last = -1;
	(void)state;
	for (int i = 0; i < step_count; i++)
		if (steps[i].side == SIDE_HOST)
			last = i;
	assert_ptr_equal(steps[last].go, decide_go);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(go_is_last) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
