# Shared by what boots machines: when one is given up, and whose its tests are. After lib.sh.
# shellcheck shell=bash
# Ends a machine that prints nothing any more: an emulated one is slow beside other work, but not silent.
watch() { # pid, name
	local last='' now since=$SECONDS
	while kill -0 "$1" 2>/dev/null; do
		now=$(stat -c %s "$work/$2.console" "$work/$2.tap" 2>/dev/null | xargs)
		[ "$now" = "$last" ] || { last=$now since=$SECONDS; }
		[ $((SECONDS - since)) -lt "${SILENCE:-900}" ] || { kill "$1"; return; }
		sleep 1
	done
}

# Takes the machine's tests over as ours.
take() { # name
	local suite='' ok=0
	while IFS= read -r line; do
		line=${line%$'\r'}
		case $line in
		'# suite end') ok=1 ;;
		'# suite '*) suite=${line#\# suite } ;;
		'ok '*) count=$((count + 1)) && printf 'ok %d - %s, %s: %s\n' "$count" "$1" "$suite" "${line#ok * - }" ;;
		'not ok '*)
			count=$((count + 1)) failures=$((failures + 1))
			printf 'not ok %d - %s, %s: %s\n' "$count" "$1" "$suite" "${line#not ok * - }"
			;;
		'# '*) printf '%s\n' "$line" ;;
		esac
	done <"$work/$1.tap"
	if [ $ok = 1 ]; then pass "$1 ran to its end"; else fail "$1 ran to its end" "$(tail -5 "$work/$1.tap"; tail -20 "$work/$1.console")"; fi
}
