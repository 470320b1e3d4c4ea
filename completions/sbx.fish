# fish completion for sbx: asks the hidden verb `sbx complete`, which starts no program and reads what
# lies in a project as text alone. Words are never evaluated here.
function __sbx_complete
    set -l words (commandline -opc)
    set -l begun (commandline -ct)
    for offer in (command sbx complete $words[2..-1] "$begun" 2>/dev/null)
        if test "$offer" != :files
            echo $offer
        else if string match -qr -- '^--[a-z-]+=' "$begun"
            set -l before (string replace -r -- '=.*' = "$begun")
            for path in (__fish_complete_path (string replace -r -- '^[^=]*=' '' "$begun"))
                echo $before$path
            end
        else
            __fish_complete_path "$begun"
        end
    end
end
complete -c sbx -f -a '(__sbx_complete)'
