# Calls the operations that stand in a file of JSON with Debian's OpenAPI::Client, which reads the document by itself.
# client.pl <openapi.yaml> <base> <operations.json>: one line of JSON for each call.
use strict;
use warnings;
use Mojo::JSON qw(decode_json encode_json);
use Mojo::File qw(path);
use Mojo::URL;
use OpenAPI::Client;

my ($document, $base, $file) = @ARGV;
my $client = OpenAPI::Client->new($document, base_url => Mojo::URL->new($base));
$client->ua->on(start => sub { my ($ua, $tx) = @_; $tx->req->headers->header('X-Custom-Cookie' => $ENV{COOKIE}) });
$| = 1;
for my $operation (@{decode_json(path($file)->slurp)}) {
  my %given = (%{$operation->{query}}, %{$operation->{parts}});
  $given{body} = $operation->{body} if exists $operation->{body};
  my $tx = $client->call($operation->{id}, \%given);
  print encode_json({id => $operation->{id}, status => 0 + ($tx->res->code // 0), $tx->error ? (error => $tx->error) : ()}), "\n";
}
