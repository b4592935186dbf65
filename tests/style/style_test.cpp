// Checks that the source tree follows the rules of the project.
#include "tests/style/rules.hpp"

#include "tests/style/class_rules.hpp"

#include <gtest/gtest.h>

#include <iostream>

namespace photofinish::style {
namespace {

void expect_none(const violations& found) { EXPECT_TRUE(found.empty()) << describe(found); }

TEST(Style, FoldersIncludeOnlyInTheDirectionOfTheArrows) { expect_none(folder_arrows(project_tree())); }
TEST(Style, IncludesRunInNoLoop) { expect_none(include_loops(project_tree())); }
TEST(Style, EveryHeaderIsIncludedBySomeOtherFile) { expect_none(headers_without_a_reader(project_tree())); }
TEST(Style, RoomsIncludeOnlyRoomsBelowThem) { expect_none(room_order(project_tree())); }
TEST(Style, TheTableOfRoomsNamesNoEmptyOne) { expect_none(empty_rooms(project_tree())); }
TEST(Style, PureFilesIncludeOnlyPureHeaders) { expect_none(impure_includes(project_tree())); }
TEST(Style, PureFilesReadNoClockAndWriteNoLog) { expect_none(impure_deeds(project_tree())); }
TEST(Style, NoConditionAwaits) { expect_none(awaits_in_conditions(project_tree())); }
TEST(Style, NothingIsMadeInsideACoAwaitThatGccDestroysTwice) { expect_none(temporaries_in_awaits(project_tree())); }
TEST(Style, NoCoAwaitChooses) { expect_none(choices_in_awaits(project_tree())); }
TEST(Style, NoLoopRunsOverAPartOfATemporary) { expect_none(loops_over_parts_of_parsed_texts(project_tree())); }
TEST(Style, AStringsRoomIsGivenBackByWhatDoesIt) { expect_none(strings_that_keep_their_room(project_tree())); }
TEST(Style, WhatIsKnownToBreakIsNotUsed) { expect_none(banned_words(project_tree())); }
TEST(Style, NoExceptionOfASpawnedCoroutineIsDropped) { expect_none(dropped_exceptions(project_tree())); }
TEST(Style, NoPeerCanChooseKeysThatMakeATableSlow) { expect_none(tables_that_peers_can_slow_down(project_tree())); }
TEST(Style, AFilesConstantHidesNoneOfAHeader) { expect_none(hidden_constants(project_tree())); }
TEST(Style, PeersAreReadOnlyByWhatLeavesTurnsToOthers) { expect_none(reads_beside_the_doors(project_tree())); }
TEST(Style, EveryHeaderIsGuarded) { expect_none(headers_without_pragma_once(project_tree())); }
TEST(Style, NoHeaderOpensANamespaceForOthers) { expect_none(using_namespace_in_headers(project_tree())); }
TEST(Style, NoClassIsTooLarge) { expect_none(large_classes(project_tree(), classes_too_large())); }
TEST(Style, AClassHasOneSource) { expect_none(scattered_classes(project_tree(), classes_in_several_files())); }
TEST(Style, NoFileContinuesAnother) { expect_none(continued_files(project_tree(), files_that_continue())); }
TEST(Style, NoFileIsOverlong) { expect_none(long_files(project_tree())); }
TEST(Style, NoLineIsOverlong) { expect_none(long_lines(project_tree())); }
TEST(Style, NoLineHoldsATab) { expect_none(tabs(project_tree())); }
TEST(Style, ATableOfADocumentHasAHead) { expect_none(tables_without_a_head(project_tree())); }
TEST(Style, EveryFileSaysAtItsHeadWhatItIsFor) { expect_none(missing_head_comments(project_tree())); }
TEST(Style, CommentsNameFilesThatThereAre) { expect_none(unknown_files_in_comments(project_tree())); }
TEST(Style, CommentsNameCodeThatThereIs) { expect_none(unknown_names_in_comments(project_tree())); }
TEST(Style, DecisionsHaveOneForm) { expect_none(decisions_out_of_form(project_tree())); }
TEST(Style, WordsAreTheFieldsOwn) { expect_none(words_to_read_twice(project_tree())); }
TEST(Style, MainIsLinkedIntoNoTest) { expect_none(main_in_tests(project_tree())); }
TEST(Style, TheTopLevelHoldsNoStrangers) { expect_none(strangers_at_top_level(project_tree())); }

// A crowded folder causes only a warning. A strict limit would force developers to split one topic into two folders.
TEST(Style, NoFolderHoldsMoreFilesThanOneReads) {
  const violations found = crowded_folders(project_tree());
  if (!found.empty()) std::cout << "warning: more files in one folder than one reads:\n" << describe(found);
}

// If the rules found no files to check, they would always pass. This test detects that case.
TEST(Style, TheTreeHoldsPureFilesAndTestsToLookAt) {
  const source_tree& tree = project_tree();
  ASSERT_TRUE(tree.find("racing/race.hpp"));
  EXPECT_NE(tree.find("racing/race.hpp")->lines.at(0).find("[pure]"), std::string::npos);
  EXPECT_TRUE(tree.find("tests/style/style_test.cpp"));
  EXPECT_TRUE(tree.find("tests/CMakeLists.txt"));
  EXPECT_GT(tree.find("gateway/requests/session.cpp")->includes.size(), 2u);
  EXPECT_TRUE(tree.find("proxy/net/byte_stream.cpp"));
  EXPECT_TRUE(tree.find("gateway/http/client_connection.cpp"));
}

}  // namespace
}  // namespace photofinish::style
