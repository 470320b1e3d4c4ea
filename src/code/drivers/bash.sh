# Cells for bash: the text before a line "%%" is run in this shell, then its status is printed.
__sbx_more=1
while [ -n "$__sbx_more" ]; do
	__sbx_code= __sbx_more=
	while IFS= read -r __sbx_line || [ -n "$__sbx_line" ]; do
		if [ "$__sbx_line" = "%%" ]; then
			__sbx_more=1
			break
		fi
		__sbx_code+=$__sbx_line$'\n'
	done
	[ -n "$__sbx_more$__sbx_code" ] || break
	eval "$__sbx_code" </dev/null
	printf '%%%%%d\n' $?
done
