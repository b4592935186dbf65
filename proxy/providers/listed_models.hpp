// The list from which the prices and facts of a provider's models are read. [pure]
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class catalogue;

class listed_models {
 public:
  std::string provider;  // the provider of the list whose prices and facts hold, a preset's; empty: none do

  // A provider that no configuration describes: only what people wrote is known of its models.
  listed_models() = default;
  // The list of a configuration. Null: the list that came with the binary.
  explicit listed_models(std::shared_ptr<const catalogue> list);

  // Each list that a provider gets has another number, also after a reload. 0: no configuration describes the provider.
  std::uint64_t number() const { return number_; }
  // The built-in list is read at the first call.
  const catalogue& list() const;

  // The same provider of the same list, whatever the number is.
  bool operator==(const listed_models& other) const;

 private:
  std::string_view id() const;

  std::uint64_t number_ = 0;
  std::shared_ptr<const catalogue> list_;
};

}  // namespace photofinish::proxy
