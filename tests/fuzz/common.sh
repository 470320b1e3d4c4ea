# Shared by run.sh and coverage: the pure rooms, the build of one target, its corpus.
fuzz_sources=$(ls src/agent/{agents,hook,trust}.c src/base/*.c src/policy/*.c src/jail/variables.c src/limits/{bus,text}.c src/net/{dns,hosts,http,link,own,socks,tls,who}.c src/session/{journal,state,tar,words}.c | grep -v musl)

fuzz_build() { # SOURCE PROGRAM flags...
	local source=$1 program=$2
	shift 2
	# shellcheck disable=SC2086
	clang -g -O1 -D_GNU_SOURCE "$@" -Isrc -o "$program" "$source" $fuzz_sources \
		"$fuzz_made"/src/{profile-texts,group-rows,network-messages}.c -linih
}

fuzz_corpus() { # NAME DIRECTORY: what was kept, what once crashed, what is shipped
	mkdir -p "$2"
	tar xzf "tests/fuzz/corpus/$1.tar.gz" -C "$2" 2>/dev/null
	cp profiles/*.ini tests/fuzz/found/* "$2"
	printf -- '--read\0/x\0-p\0base\0--\0ls\0' >"$2/words"
}
