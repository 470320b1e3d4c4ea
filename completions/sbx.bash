# bash completion for sbx: asks the hidden verb `sbx complete`, which starts no program and reads what
# lies in a project as text alone. Words are never evaluated here.
_sbx() {
	local line=${COMP_LINE:0:COMP_POINT} breaks=${COMP_WORDBREAKS//[^=:]/} words=() word offer i
	# bash divides words at '=' and ':', too: they are put together as they stand in the line.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $i == 0 || $line == [[:space:]]* ]]; then
			line=${line#"${line%%[![:space:]]*}"}
			words+=("")
		fi
		((i < COMP_CWORD)) || word=$line
		words[${#words[@]} - 1]+=$word
		line=${line#"$word"}
	done
	local begun=${words[${#words[@]} - 1]} stays=
	# readline replaces the text behind the last of them.
	[[ -z $breaks || $begun != *["$breaks"]* ]] || stays=${begun%"${begun##*["$breaks"]}"}
	COMPREPLY=()
	while IFS= read -r offer; do
		if [[ $offer == :files ]]; then
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "${begun##*[=]}")
			return
		fi
		word=${offer%%$'\t'*}
		COMPREPLY+=("${word#"$stays"}")
	done < <(command sbx complete "${words[@]:1}" 2>/dev/null)
}
complete -F _sbx sbx
