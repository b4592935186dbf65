// Parts of one JSON text by their pointers, "#/$defs/a~1b" (RFC 6901), as references of schemas name them. [pure]
// A client may write any number of references: each object and list on their way is read once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

class json_pointers {
 public:
  // `root` outlives this.
  explicit json_pointers(std::string_view root) : root_(root) {}

  std::string_view root() const { return root_; }

  // None: there is no such part, or it is in another text, or the pointer has more than 32 steps.
  std::optional<std::string_view> find(std::string_view pointer);

 private:
  using members = std::map<std::string, std::string_view, std::less<>>;

  std::optional<std::string_view> step_into(std::string_view part, const std::string& key);
  const members& members_of(std::string_view object);
  const std::vector<std::string_view>& elements_of(std::string_view list);

  std::string_view root_;
  std::map<const char*, members> objects_;  // by their place in the text
  std::map<const char*, std::vector<std::string_view>> lists_;
};

}  // namespace photofinish::proxy
