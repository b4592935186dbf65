#include "gateway/config/sections/ca_file.hpp"
#include "gateway/config/sections/sections.hpp"
#include "gateway/store/redis_url.hpp"
#include "proxy/json/character_set.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

namespace photofinish::gateway {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t longest_prefix = 64;
// The longest allowed time limit for a call to the store. The housekeeper may make three such calls per second, one
// after another.
constexpr milliseconds longest_timeout{5'000};

// True if the text is a valid prefix for keys in a store. The allowed characters make sure that a prefix cannot be
// confused with another gateway's keys.
bool is_prefix(const std::string& text) {
  return !text.empty() && text.size() <= longest_prefix && proxy::consists_of_letters(text, "-._");
}

void read_sentinel(const section_reader& store, store_settings& into) {
  const yaml_node* node = store.find("sentinel");
  if (!node) return;
  const section_reader section(store.shared(), *node, section::sentinel);
  sentinel_settings read;
  section.read_members(read);
  if (!section.find("master") && !section.has_unknown())
    section.shared().error(section.at(), "sentinel: `master`, the primary's name in the configuration of the "
                                         "sentinels, is missing");
  if (section.has_read("addresses")) {
    for (std::size_t each = 0; each < read.addresses.size(); ++each)
      if (!parse_sentinel_address(read.addresses[each]))
        section.shared().error(section.find("addresses")->items[each].at, "must be HOST or HOST:PORT");
  } else if (!section.find("addresses") && !section.has_unknown()) {
    section.shared().error(section.at(), "sentinel needs `addresses`, as in [10.0.0.1:26379, 10.0.0.2:26379]");
  }
  into.sentinel = std::move(read);
}

}  // namespace

void read_store(const section_reader& top, store_settings& into) {
  const yaml_node* node = top.find("redis");
  if (!node) return;
  const section_reader store(top.shared(), *node, section::redis);
  store.read_members(into);
  if (store.has_read("url")) {
    const auto parsed = parse_redis_url(into.url.reveal());
    if (!parsed.place) store.error("url", parsed.problem);
    else if (store.find("ca_file") && !parsed.place->is_tls)
      store.warn("ca_file", "has no effect without TLS: write the URL with rediss://");
  } else if (!store.find("url") && !store.has_unknown()) {
    store.shared().error(store.at(), "redis needs a `url`, as in redis://host:6379/0");
  }
  read_sentinel(store, into);
  check_ca_file(store, into.ca_file);
  if (into.timeout > longest_timeout) store.error("timeout", "must be at most 5s");
  if (!is_prefix(into.prefix)) store.error("prefix", "must be 1 to 64 letters, digits, '-', '.' or '_'");
}

}  // namespace photofinish::gateway
