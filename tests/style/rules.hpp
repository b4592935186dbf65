// The rules of the project that a program can check. Each function checks one rule in a source tree and returns the violations.
#pragma once

#include "tests/style/source_tree.hpp"

namespace photofinish::style {

// Includes.
violations folder_arrows(const source_tree& tree);  // permits only the includes gateway -> racing -> proxy and gateway -> metrics
violations include_loops(const source_tree& tree);  // finds loops of includes; a header and its .cpp count as one file
violations headers_without_a_reader(const source_tree& tree);

// Rooms are the folders of the product. The table of rooms lists them from the lowest to the highest.
violations room_order(const source_tree& tree);  // each room (source folder) may include only its own headers and headers of lower rooms
violations empty_rooms(const source_tree& tree);  // finds folders without files in the table of rooms (source folders)
violations crowded_folders(const source_tree& tree);

// The first comment of a header may mark the header as pure (free of I/O, clocks and randomness), or as pure with an exception. These rules
// apply to each marked header and to its .cpp file.
violations impure_includes(const source_tree& tree);  // permits includes of std, simdjson, nlohmann, pure headers, and stated exceptions
// Finds code that reads a clock, writes a log, or uses random numbers or the environment.
violations impure_deeds(const source_tree& tree);

// These rules avoid known errors of GCC 12 and of the libraries in use.
violations awaits_in_conditions(const source_tree& tree);
violations temporaries_in_awaits(const source_tree& tree);
violations choices_in_awaits(const source_tree& tree);
violations loops_over_parts_of_parsed_texts(const source_tree& tree);
violations strings_that_keep_their_room(const source_tree& tree);  // finds `= {}` for variables that are certainly strings
violations banned_words(const source_tree& tree);
violations dropped_exceptions(const source_tree& tree);  // finds exceptions that are lost because a coroutine has no awaiter
violations tables_that_peers_can_slow_down(const source_tree& tree);  // finds hash tables that a peer could fill with colliding keys

// These rules exist because the build compiles several sources as one (`together` in CMakeLists.txt).
violations hidden_constants(const source_tree& tree);  // finds constants in a file's unnamed namespace that hide a constant of a header

// These rules keep the event loop fair. The first function finds code that reads a peer's bytes directly. Only the shared read functions
// let other connections run.
violations reads_beside_the_doors(const source_tree& tree);

// Comments must not name files and functions that do not exist.
violations unknown_files_in_comments(const source_tree& tree);  // checks the names of files that end in .hpp or .cpp
violations unknown_names_in_comments(const source_tree& tree);  // checks names with underscores, and names followed by brackets

// Code and documents must use plain technical English.
violations words_to_read_twice(const source_tree& tree);  // finds hard words, and reports a usual replacement for each

// The page docs/decisions/README.md defines the format of decisions.
violations decisions_out_of_form(const source_tree& tree);  // checks a decision's title, headings, summary length and index row

// These rules check the layout of files.
violations headers_without_pragma_once(const source_tree& tree);
violations using_namespace_in_headers(const source_tree& tree);
violations long_files(const source_tree& tree);
violations long_lines(const source_tree& tree);
violations tabs(const source_tree& tree);
violations tables_without_a_head(const source_tree& tree);  // finds tables without a header row in documents
violations missing_head_comments(const source_tree& tree);
violations main_in_tests(const source_tree& tree);
violations strangers_at_top_level(const source_tree& tree);

}  // namespace photofinish::style
