// The rules of the project that a program can check. Each is a function from a tree to the violations in it.
#pragma once

#include "tests/style/source_tree.hpp"

namespace photofinish::style {

// Includes.
violations folder_arrows(const source_tree& tree);  // gateway -> racing -> proxy, gateway -> metrics; nothing else
violations include_loops(const source_tree& tree);  // among the project's files; a header and its .cpp count as one
violations headers_without_a_reader(const source_tree& tree);

// Rooms: the folders of the product, each with a height.
violations room_order(const source_tree& tree);  // a room includes itself and those below it
violations empty_rooms(const source_tree& tree);  // rooms in the table without files
violations crowded_folders(const source_tree& tree);

// Files whose first comment contains [pure], or [pure but for X]: the header, and the .cpp that belongs to it.
violations impure_includes(const source_tree& tree);  // std, simdjson, nlohmann and other [pure] headers, and X
violations impure_deeds(const source_tree& tree);     // reads a clock, writes a log, or uses random numbers or the environment

// Errors of this compiler or these libraries.
violations awaits_in_conditions(const source_tree& tree);
violations temporaries_in_awaits(const source_tree& tree);
violations choices_in_awaits(const source_tree& tree);
violations loops_over_parts_of_parsed_texts(const source_tree& tree);
violations strings_that_keep_their_room(const source_tree& tree);  // `= {}`, if a plain name is known to be a string
violations banned_words(const source_tree& tree);
violations dropped_exceptions(const source_tree& tree);  // exceptions of coroutines without an awaiter
violations tables_that_peers_can_slow_down(const source_tree& tree);  // by sending keys with equal hashes

// Sources are compiled several in one (`together` in CMakeLists.txt).
violations hidden_constants(const source_tree& tree);  // constants of a header that a file's unnamed namespace hides

// The fairness of the loop.
violations reads_beside_the_doors(const source_tree& tree);  // reads from a peer outside the functions that let other connections run

// Comments that name missing things.
violations unknown_files_in_comments(const source_tree& tree);  // names that end in .hpp or .cpp
violations unknown_names_in_comments(const source_tree& tree);  // names of several words, and calls

// Plain technical English, in code and documents.
violations words_to_read_twice(const source_tree& tree);  // a list of words, with replacements

// The form of decisions: docs/decisions/README.md describes it.
violations decisions_out_of_form(const source_tree& tree);  // title, headings, length of the summary, row of the index

// The shape of files.
violations headers_without_pragma_once(const source_tree& tree);
violations using_namespace_in_headers(const source_tree& tree);
violations long_files(const source_tree& tree);
violations long_lines(const source_tree& tree);
violations tabs(const source_tree& tree);
violations tables_without_a_head(const source_tree& tree);  // tables in documents
violations missing_head_comments(const source_tree& tree);
violations main_in_tests(const source_tree& tree);
violations strangers_at_top_level(const source_tree& tree);

}  // namespace photofinish::style
