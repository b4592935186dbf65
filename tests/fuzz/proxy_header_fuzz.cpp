// Reads arbitrary bytes as a PROXY header. The result does not depend on how the bytes are split into reads. No byte after the header's end
// is consumed, and the header's length is limited.
#include "gateway/ingress/proxy_header.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace photofinish;
using gateway::proxy_header;

struct outcome {
  proxy_header header;
  std::size_t taken = 0;
};

outcome read(const fuzz::pieces& cut) {
  outcome seen;
  for (const std::string_view piece : cut) {
    const std::size_t taken = seen.header.take(piece);
    seen.taken += taken;
    fuzz::require(taken == piece.size() || seen.header.at() != proxy_header::progress::more,
                  "a header that is not whole takes all that there is");
    if (taken < piece.size()) break;
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact_bytes bytes(fuzz::as_text(data, size));
  const outcome whole = read({bytes.view()});
  fuzz::require(whole.taken <= proxy_header::longest, "a header is bounded");
  for (const fuzz::pieces& cut : {fuzz::byte_by_byte(bytes.view()), fuzz::at_random(bytes.view())}) {
    const outcome other = read(cut);
    fuzz::require(other.taken == whole.taken && other.header.at() == whole.header.at(), "any split gives the same");
    fuzz::require(other.header.peer() == whole.header.peer(), "any split gives the same address");
    fuzz::require(other.header.problem() == whole.header.problem(), "any split gives the same problem");
  }
  if (whole.header.at() != proxy_header::progress::whole) return 0;
  const outcome again = read({bytes.view().substr(0, whole.taken)});
  fuzz::require(again.header.at() == proxy_header::progress::whole, "it needs no byte behind itself");
  const outcome less = read({bytes.view().substr(0, whole.taken - 1)});
  fuzz::require(less.header.at() == proxy_header::progress::more, "it needs its last byte");
  return 0;
}
