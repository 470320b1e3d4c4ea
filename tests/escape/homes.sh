#!/bin/bash
# What the caller's programs run or trust in the home, by absolute path: wherever a box writes it, by
# its own name or because a link leads from there. And what is no project at all.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home
unset XDG_STATE_HOME XDG_CONFIG_HOME CLAUDE_CONFIG_DIR
mkdir -p "$HOME"

# A home kept by stow: links to a project, of files, of directories, in directories, to what is not there.
dotfiles=$HOME/dotfiles
mkdir -p "$dotfiles"/{nvim,systemd,bin,claude/commands,zsh} "$HOME"/.config "$HOME"/.ssh "$HOME"/.local/bin "$HOME"/.claude "$HOME"/.config/fish/conf.d
trusted=".bashrc .zprofile ssh_config nvim/init.lua systemd/x.service claude/settings.json claude/commands/c.md fishy zsh/real absent"
for name in .bashrc .zprofile ssh_config nvim/init.lua systemd/x.service claude/settings.json claude/commands/c.md fishy zsh/real bin/tool free; do
	echo good >"$dotfiles/$name"
done
ln -s dotfiles/.bashrc "$HOME/.bashrc"
ln -s "$dotfiles/.zprofile" "$HOME/.zprofile"
ln -s ../dotfiles/ssh_config "$HOME/.ssh/config"
ln -s ../dotfiles/nvim "$HOME/.config/nvim"
ln -s ../dotfiles/systemd "$HOME/.config/systemd"
ln -s ../dotfiles/claude/settings.json "$HOME/.claude/settings.json"
ln -s ../dotfiles/claude/commands "$HOME/.claude/commands"
ln -s ../../../dotfiles/fishy "$HOME/.config/fish/conf.d/fishy.fish"
ln -s real "$dotfiles/zsh/link" # a link of the project's on the way
ln -s dotfiles/zsh/link "$HOME/.zshrc"
ln -s dotfiles/absent "$HOME/.profile"
ln -s ../../dotfiles/bin/tool "$HOME/.local/bin/tool"
git init -q "$dotfiles"
attack='for f in '"$trusted"' free bin/tool; do echo evil >>$f; done; rm -f .bashrc zsh/link; mv nvim n; mv claude/commands c; ln -sf /nonexistent zsh/link; echo evil >x; mv -f x .zprofile'
evil() { (cd "$dotfiles" && grep -l evil $trusted 2>/dev/null | xargs); }

for round in first second; do
	(cd "$dotfiles" && run_box -- sh -c "$attack" 2>"$work/log")
	stays "the $round run: nothing of what links of the home lead to is changed" " real" "$(evil) $(readlink "$dotfiles/zsh/link")"
	is "the $round run: what no link leads to is" 1 "$(grep -c evil "$dotfiles/free" | sed 's/[1-9]/1/')"
	like "the $round run: a program that a link of PATH leads to is reported" "$(cat "$work/log")" 'run it: .*bin/tool'
	echo good >"$dotfiles/free"
done
echo good >"$dotfiles/vimrc"
ln -s dotfiles/vimrc "$HOME/.vimrc"
(cd "$dotfiles" && run_box -- sh -c 'echo evil >>vimrc' 2>/dev/null)
stays "a new link of the home counts in the next run" good "$(cat "$dotfiles/vimrc")"
ln -sfn other "$dotfiles/zsh/link"
(cd "$dotfiles" && run_box -- sh -c 'echo evil >>zsh/other' 2>/dev/null)
stays "as does a link of the project's that was changed" "" "$(cat "$dotfiles/zsh/other" 2>/dev/null)"
# A list of an older sbx counts for nothing.
mkdir -p "$HOME/.local/state/sbx/homes" && printf 'sbx homes 1 0000000000000000\nend\n' | tee "$HOME/.local/state/sbx/homes/$(sed 's|/|=|g' <<<"$HOME")" >/dev/null
(cd "$dotfiles" && run_box -- sh -c 'echo evil >>.bashrc' 2>/dev/null)
stays "a kept list of an older sbx counts for nothing" good "$(cat "$dotfiles/.bashrc")"
(cd "$dotfiles" && run_box --write .bashrc -- sh -c 'echo meant >.bashrc')
is "what is named itself is written" meant "$(cat "$dotfiles/.bashrc")"
(cd "$dotfiles" && run_box --no-protect -- sh -c 'echo evil >nvim/init.lua')
is "without protection it is changed" evil "$(cat "$dotfiles/nvim/init.lua")"
# A session keeps it back.
(cd "$dotfiles" && "$SBX" session create homes >/dev/null && run_box -s homes -- sh -c 'echo evil >>.zprofile; echo fine >fine' && "$SBX" session apply homes >/dev/null 2>&1)
is "session apply withholds it" "good fine" "$(cat "$dotfiles/.zprofile") $(cat "$dotfiles/fine")"

# Places that are no project, with the way to mean it.
mkdir -p "$HOME"/{.aws,.gnupg,.codex/rules,.codex/worktrees/w,.gemini,.qwen,.copilot,bin,.local/share/applications,.config/autostart,.oh-my-zsh/custom,.claude/skills/s,.claude/projects/p} "$work/claude"
for place in .ssh .aws .gnupg .claude .codex .gemini .qwen .copilot .local .local/share .local/bin bin .config/autostart .codex/rules .claude/skills/s .oh-my-zsh/custom .local/share/applications; do
	got=$(cd "$HOME/$place" && run_box -- true 2>&1; echo $?)
	like "~/$place is refused, with the way" "$got" "(cannot be the project: it contains|overlaps sbx's own)"
	[[ $place = .local* ]] || stays "and is one when it is meant" 0 "$(cd "$HOME/$place" && run_box --project-dir . -- true >/dev/null 2>&1; echo $?)"
done
for place in .codex/worktrees/w .claude/projects/p; do
	stays "~/$place is one" 0 "$(cd "$HOME/$place" && run_box -- true >/dev/null 2>&1; echo $?)"
done
like "\$CLAUDE_CONFIG_DIR is none" "$(cd "$work/claude" && CLAUDE_CONFIG_DIR=$work/claude "$SBX" run -- true 2>&1)" "^sbx: .*$work/claude"
project=$(fresh plain)
for place in .ssh .aws .claude bin; do
	like "--write ~/$place is refused" "$(cd "$project" && run_box --write "$HOME/$place" -- true 2>&1)" 'cannot be writable as a whole.*write the line'
done
printf '[profile]\nextends = default\n[files]\nwrite = ~/.aws\n' >"$work/meant.ini"
stays "and is not by a profile's line" 0 "$(cd "$project" && run_box -p "$work/meant.ini" -- true >/dev/null 2>&1; echo $?)"
(cd "$HOME/.claude" && rm -f settings.json && run_box --project-dir . -- sh -c 'echo x >settings.json; mkdir hooks; echo x >commands/x; echo x >skills/s/x; echo x >notes' 2>/dev/null)
is "in one that is meant its settings, hooks and commands are kept" "notes" "$(cd "$HOME/.claude" && ls -d settings.json hooks commands/x skills/s/x notes 2>/dev/null)"
# What the agent of the host starts or obeys, in the box of the whole agent; what it only remembers is written.
agents=(
	"claude-code .claude" "local/claude shell-snapshots/s.sh session-env/1/e.sh statusline.sh mcp.json remote-settings.json keybindings.json settings.json settings.local.json hooks/h agents/a.md skills/s/SKILL.md rules/r.md output-styles/o.md" "projects/p/s.jsonl history.jsonl todos/t.json .credentials.json"
	"codex .codex" "config.toml hooks.json packages/standalone/codex shell_snapshots/s.sh requirements.toml agents/a.toml managed_config.toml .env prompts/p.md plugins/p/p.json" "sessions/s.jsonl history.jsonl auth.json memories/m.md"
	"gemini .gemini" "settings.json system.md trustedFolders.json trusted_hooks.json mcp-server-enablement.json tmp/bin/rg antigravity/mcp_config.json policies/p.toml skills/s/SKILL.md extensions/e/gemini-extension.json" "tmp/hash/logs.json oauth_creds.json"
	"qwen .qwen" "settings.json system.md trustedFolders.json locales/de.js tmp/bin/rg hooks/h agents/a.md" "tmp/hash/logs.json oauth_creds.json"
	"copilot .copilot" "mcp-config.json pkg/1/index.js installed-plugins/p/plugin.json permissions-config.json hooks/h.json agents/a.md skills/s/SKILL.md" "session-state/s.json config.json"
	"opencode .local/share/opencode" "bin/rg" "storage/s.json auth.json"
)
for ((i = 0; i < ${#agents[@]}; i += 3)); do
	read -r profile place <<<"${agents[i]}"
	for state in old new; do
		rm -rf "${HOME:?}/$place" && mkdir -p "$HOME/$place"
		for file in $([ $state = new ] || echo ${agents[i + 1]} ${agents[i + 2]}); do mkdir -p "$HOME/$place/$(dirname "$file")" && echo mine >"$HOME/$place/$file"; done
		sleep 0.05
		(cd "$project" && run_box -p "$profile" -- sh -c "cd ~/$place && for f in ${agents[i + 1]} ${agents[i + 2]}; do mkdir -p \$(dirname \$f); echo evil >\$f; mv \$f \$f.moved; echo evil >\$f; done") >"$work/log" 2>&1
		stays "$profile: what the host's agent starts, $state" "" "$(cd "$HOME/$place" && for file in ${agents[i + 1]}; do grep -l evil "$file" 2>/dev/null; done)"
		is "$profile: what it remembers is written, $state" "" "$(cd "$HOME/$place" && for file in ${agents[i + 2]}; do grep -q evil "$file" || echo "$file"; done)"
	done
done
done_testing
