// Seals access keys with arbitrary claims, and tries to open arbitrary bytes as sealed keys. A sealed key opens only with the secret that
// sealed it. Arbitrary bytes never open.
#include "gateway/access/sealed_key.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace photofinish;

const std::vector secrets{proxy::secret("0123456789abcdef0123456789abcdef")};

void expect(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  expect(!gateway::open_sealed_key(text, secrets));  // the fuzzer does not know the secret, so it cannot make a valid key
  expect(!gateway::open_sealed_key("pfs1-" + std::string(text), secrets));

  gateway::sealed_claims claims{.audience = "a", .id = "i", .subject = "s" + std::string(text.substr(0, 200))};
  claims.team = text.substr(text.size() / 2);
  const std::string sealed = gateway::seal(claims, secrets.front());
  const auto opened = gateway::open_sealed_key(sealed, secrets);
  expect(opened.has_value() == (sealed.size() <= gateway::longest_sealed_key));
  if (size == 0) return 0;
  std::string changed = sealed;
  const std::size_t at = (static_cast<std::size_t>(data[0]) * 31 + size) % changed.size();
  changed[at] = static_cast<char>(changed[at] ^ (1 << (data[size - 1] % 8)));
  expect(!gateway::open_sealed_key(changed, secrets));
  return 0;
}
