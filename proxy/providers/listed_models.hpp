// Refers to the list that contains the prices and facts of a provider's models. [pure]
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class catalogue;

class listed_models {
 public:
  std::string provider;  // the preset whose prices and facts apply; empty if there is none

  // Creates an object for a provider that no configuration describes. Only files that people wrote have
  // facts about its models.
  listed_models() = default;
  // Creates an object for a configuration's list. If it is null, the built-in list is used.
  explicit listed_models(std::shared_ptr<const catalogue> list);

  // Returns a number that is different for each list that a provider gets, also after a reload. It is 0 if no
  // configuration describes the provider.
  std::uint64_t number() const { return number_; }
  // Returns the list. The built-in list is read at the first call.
  const catalogue& list() const;

  // Compares the provider and the list, but not the number.
  bool operator==(const listed_models& other) const;

 private:
  std::string_view id() const;

  std::uint64_t number_ = 0;
  std::shared_ptr<const catalogue> list_;
};

}  // namespace photofinish::proxy
