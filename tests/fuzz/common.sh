# Shared by run.sh and coverage: the pure rooms, the build of one target, its corpus.
fuzz_sources=$(ls src/agent/{agents,hook,servers}.c src/mcp/protocol.c src/apart/*.c src/{base,text,names}/*.c src/boxes/entry.c src/report/{print_fields,denials,finding_json,finding_words,findings,output_ring,refused}.c src/secrets/dialogue/*.c src/sshagent/{hostkeys,signing,ssh_wire}.c src/process/pages.c src/git/{asked,gitblob,gitconfig,gitforms,gitindex,index_vet,gitkeys,gitmerge,gitnamed,gitsecret,gitway,layout,recognise}.c src/trees/repos.c src/policy/*.c src/view/paths/mounted.c src/env/variables.c src/limits/{bus,text}.c src/ask/question_text.c src/net/host/{audit,destinations,orders,questions,refusals}.c src/net/parse/{reply,dns,hosts,http,opening,segment,socks,tls}.c src/net/rules/{control,local_address}.c src/net/setup/{hold,netns}.c src/net/host/socket_owner.c src/session/apply/apply_journal.c src/session/store/{known,seen,session_state}.c tests/fuzz/store.c)

# Everything but the targets is compiled once, with the flags of all.
fuzz_compile() { # DIRECTORY flags...
	local place=$1
	shift
	mkdir -p "$place"
	# shellcheck disable=SC2086
	printf '%s\n' $fuzz_sources "$fuzz_made"/src/{backend-texts,profile-texts,group-rows,network-messages,recipes-text,settings-rows,trusted-rows}.c |
		xargs -P "${JOBS:-2}" -I {} bash -c 'clang -g -O1 -D_GNU_SOURCE -DSBX_VERSION=\"0\" "${@:3}" -Isrc -c -o "$1/$(tr / - <<<"${2#/}").o" "$2"' - "$place" {} "$@"
}

fuzz_build() { # SOURCE PROGRAM DIRECTORY flags...
	clang -g -O1 -D_GNU_SOURCE "${@:4}" -Isrc -o "$2" "$1" "$3"/*.o -linih -lcap
}

fuzz_corpus() { # NAME DIRECTORY: what was kept, what once crashed, what is shipped
	mkdir -p "$2"
	tar xzf "tests/fuzz/corpus/$1.tar.gz" -C "$2" 2>/dev/null
	cp profiles/*.ini tests/fuzz/found/* "$2"
	printf -- '--read\0/x\0-p\0base\0--\0ls\0' >"$2/words"
}
