# Homebrew on Linux. Not tested: Homebrew is not in Debian; its syntax is.
class Sbx < Formula
  desc "Run any command in a box, without root, daemon or image"
  homepage "@URL@"
  version "@VERSION@"
  license "Apache-2.0"
  depends_on :linux
  on_intel do
    url "@URL@/sbx-@VERSION@-x86_64-linux.tar.gz"
    sha256 "@X86_64@"
  end
  on_arm do
    url "@URL@/sbx-@VERSION@-aarch64-linux.tar.gz"
    sha256 "@AARCH64@"
  end

  def install
    bin.install "bin/sbx", "bin/sbx-shell"
    share.install Dir["share/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/sbx --version")
  end
end
