#!/usr/bin/env perl
# Runs the decode cases of `tree-link.json` against a minimal decoder in Perl.
#
#     perl vectors/runners/runner.pl
#
# Needs Perl 5.26 or newer and no module that it does not bring.
use v5.26;
use warnings;
use Cwd 'abs_path';
use File::Basename 'dirname';
use JSON::PP;

my %value;
@value{'A' .. 'Z', 'a' .. 'z', 0 .. 9, '-', '_'} = 0 .. 63;

# Returns the bytes of canonical base64url as a list, or nothing. `\z`, because `$` also matches
# before a final line feed.
sub to_bytes {
  my ($text) = @_;
  my ($body, $padding) = $text =~ /\A([A-Za-z0-9_-]*)(={0,2})\z/a or return;
  return if length($body) % 4 == 1 or $padding ne '' && length($text) % 4 != 0;
  my $bits = join '', map { sprintf '%06b', $value{$_} } split //, $body;
  my $whole = length($bits) - length($bits) % 8;
  return if substr($bits, $whole) =~ /1/;
  return [unpack 'C*', pack 'B*', substr $bits, 0, $whole];
}

sub decode_link {
  my @bytes = @{to_bytes(@_) // return};
  my $uint = sub {
    my ($width) = @_;
    die "short\n" if @bytes < $width;
    my $number = 0;
    $number = $number * 256 + shift @bytes for 1 .. $width;
    return $number;
  };
  my $uint16s = sub { [map { $uint->(2) } 1 .. $_[0]] };
  my $link = eval {
    my %link = (version => $uint->(4), class => $uint->(1), ascendancy => $uint->(1));
    my $version = $link{version};
    die "version\n" unless $version >= 4 && $version <= 6;
    if ($version == 4) {
      $link{fullscreen} = $uint->(1);
      die "fullscreen or half a hash\n" if $link{fullscreen} > 1 || @bytes % 2;
      $link{hashes} = $uint16s->(@bytes / 2);
      return \%link;
    }
    $link{hashes} = $uint16s->($uint->(1));
    $link{extendedHashes} = $uint16s->($uint->(1));
    if ($version == 6) {
      $link{alternateAscendancy} = $link{ascendancy} >> 2;
      $link{ascendancy} &= 3;
      my $numbers = $uint16s->(2 * $uint->(1));
      $link{masteries} = [];
      while (my ($effect, $node) = splice @$numbers, 0, 2) {
        push @{$link{masteries}}, {node => $node, effect => $effect};
      }
    }
    die "trailing\n" if @bytes;
    \%link;
  };
  return $link;
}

# Writes out the runs of a link.
sub expand {
  my ($link) = @_;
  for my $name (keys %$link) {
    my $run = $link->{$name};
    next unless ref $run eq 'HASH';
    my @numbers = map { ($run->{first} + $_ * $run->{step}) % 65536 } 0 .. $run->{count} - 1;
    @numbers = map { +{node => $_, effect => 65535 - $_} } @numbers if $name eq 'masteries';
    $link->{$name} = \@numbers;
  }
  return $link;
}

my $json = JSON::PP->new->canonical;
my $path = dirname(abs_path(__FILE__)) . '/../tree-link.json';
open my $file, '<:raw', $path or die "$path: $!\n";
my $content = JSON::PP->new->utf8->decode(do { local $/; <$file> });
die "tree-link.json has another format\n" unless $content->{format} == 2;

my ($count, $failed) = (0, 0);
for my $case (grep { $_->{direction} ne 'encode' } @{$content->{cases}}) {
  my $found = decode_link($case->{payload});
  my $result = $case->{result};
  my $is_right =
    !defined $found   ? $result ne 'valid'
    : $result eq 'invalid' ? 0
    : $json->encode($found) eq $json->encode(expand($case->{link}));
  $count++;
  next if $is_right;
  $failed++;
  say STDERR "$case->{id}: $case->{note}";
}
exit 1 if $failed;
printf "perl: %d cases pass, %d of encode are not run\n", $count, @{$content->{cases}} - $count;
