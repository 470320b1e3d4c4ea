# Not tested: nixpkgs is not reachable where sbx is tested. nix-build -E 'with import <nixpkgs> {}; callPackage ./sbx.nix {}'
{ stdenvNoCC, fetchurl }:
let
  files = {
    x86_64-linux = { machine = "x86_64"; sha256 = "@X86_64@"; };
    aarch64-linux = { machine = "aarch64"; sha256 = "@AARCH64@"; };
  };
  file = files.${stdenvNoCC.hostPlatform.system};
in
stdenvNoCC.mkDerivation {
  pname = "sbx";
  version = "@VERSION@";
  src = fetchurl {
    url = "@URL@/sbx-@VERSION@-${file.machine}-linux.tar.gz";
    inherit (file) sha256;
  };
  dontPatchELF = true;
  dontStrip = true;
  installPhase = ''
    mkdir -p $out
    cp -a bin share $out/
  '';
}
