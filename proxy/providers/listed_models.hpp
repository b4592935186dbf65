// Refers to the catalogue that contains the prices and facts of a provider's models. [pure]
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class catalogue;

class listed_models {
 public:
  std::string provider;  // the name of the preset whose prices and facts apply; empty if there is no preset

  // Creates an object for a provider that is not part of a configuration. The only facts about the models of such a
  // provider are in the YAML files.
  listed_models() = default;
  // Creates an object for the catalogue of a configuration. If `list` is null, the built-in catalogue is used.
  explicit listed_models(std::shared_ptr<const catalogue> list);

  // Returns a number that identifies the provider and its catalogue. Each new catalogue and each reload gives the
  // provider a new number. The number is 0 if the provider is not part of a configuration.
  std::uint64_t number() const { return number_; }
  // Returns the catalogue. The built-in catalogue is parsed at the first call.
  const catalogue& list() const;

  // True if both objects have the same preset and the same catalogue. Their numbers may differ, but if one number is 0,
  // the other must also be 0.
  bool operator==(const listed_models& other) const;

 private:
  std::string_view id() const;

  std::uint64_t number_ = 0;
  std::shared_ptr<const catalogue> list_;
};

}  // namespace photofinish::proxy
