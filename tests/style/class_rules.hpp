// Bounds on classes: the number of methods and of data members, and one .cpp file for each class. Lists name the classes that exceed a
// bound today. These lists only shrink.
#pragma once

#include "tests/style/source_tree.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace photofinish::style {

inline constexpr std::size_t most_methods = 40;
inline constexpr std::size_t most_members = 20;

// A class that may exceed the usual bounds, with its own bounds.
struct large_class {
  std::string_view name;
  std::size_t methods = 0;
  std::size_t members = 0;
};

// Reports each class that exceeds the usual bounds and is not listed, and each class that exceeds its listed bounds. Also reports each
// listed class that meets the usual bounds or no longer exists, because its entry must be removed.
violations large_classes(const source_tree& tree, std::span<const large_class> listed);

// Reports each unlisted class whose methods are defined in several .cpp files, once per extra file. Also reports listed classes that have
// one file.
violations scattered_classes(const source_tree& tree, std::span<const std::string_view> listed);

// Reports each unlisted file whose first comment says that it continues another file. Also reports listed files that no longer do so.
violations continued_files(const source_tree& tree, std::span<const std::string_view> listed);

// The classes and files of the product that may break these rules for classes.
std::span<const large_class> classes_too_large();
std::span<const std::string_view> classes_in_several_files();
std::span<const std::string_view> files_that_continue();

}  // namespace photofinish::style
