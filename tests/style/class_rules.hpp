// Bounds on classes: methods, data members, one .cpp each. The classes that exceed a bound today are in lists that shrink.
#pragma once

#include "tests/style/source_tree.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace photofinish::style {

inline constexpr std::size_t most_methods = 40;
inline constexpr std::size_t most_members = 20;

// A class that may exceed a bound, with the figures that it may not exceed.
struct large_class {
  std::string_view name;
  std::size_t methods = 0;
  std::size_t members = 0;
};

// Reports each class that exceeds a bound and is not listed, or exceeds its listed figures; and each listed class that
// meets the bounds or is gone, because its row must leave the list.
violations large_classes(const source_tree& tree, std::span<const large_class> listed);

// The same for classes whose methods are defined in several .cpp files. Each extra file is reported.
violations scattered_classes(const source_tree& tree, std::span<const std::string_view> listed);

// The same for files whose first comment says that they continue another file.
violations continued_files(const source_tree& tree, std::span<const std::string_view> listed);

// The lists of the product.
std::span<const large_class> classes_too_large();
std::span<const std::string_view> classes_in_several_files();
std::span<const std::string_view> files_that_continue();

}  // namespace photofinish::style
