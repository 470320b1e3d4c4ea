# Cells for ruby: the text before a line "%%" is run in the main object, a value is shown, then 0 or
# 1 is printed.
source = $stdin.dup
$stdin.reopen("/dev/null")
$stdout.sync = true
loop do
  cell, more = +"", false
  while (line = source.gets)
    break more = true if line.chomp == "%%"
    cell << line
  end
  break unless more || !cell.empty?
  status = 0
  begin
    value = TOPLEVEL_BINDING.eval(cell, "<cell>")
    puts value.inspect unless value.nil?
  rescue SystemExit
    raise
  rescue Exception => error
    $stderr.puts error.full_message(highlight: false)
    status = 1
  end
  puts "%%#{status}"
end
