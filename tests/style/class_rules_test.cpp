// Tests the rules for classes. The tested sources are small, and break or follow the rules.
#include "tests/style/class_rules.hpp"
#include "tests/style/class_shapes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace photofinish::style {
namespace {

std::string class_of(std::size_t methods, std::size_t members) {
  std::string text = "class sample {\n public:\n";
  for (std::size_t each = 0; each < methods; ++each) text += "  void method_" + std::to_string(each) + "();\n";
  for (std::size_t each = 0; each < members; ++each) text += "  int member_" + std::to_string(each) + "_ = 0;\n";
  return text + "};\n";
}

source_tree tree_of(const std::string& text) { return make_tree({{"proxy/sample.hpp", text}}); }

struct counted {
  std::string name;
  std::string body;
  std::size_t methods;
  std::size_t members;
};

void PrintTo(const counted& each, std::ostream* out) { *out << each.name; }

const std::vector<counted>& class_cases() {
  static const std::vector<counted> all{
      {"Nothing", "", 0, 0},
      {"AMethodAndAMember", "void run(); int count_ = 0;", 1, 1},
      {"AccessAndOverloads", "public: int a() const; int a(int); private: int b_;", 2, 1},
      {"ConstructorsAndADestructor", "sample(); explicit sample(int a) : a_{a}, b_(a) { if (a) { go(); } } ~sample(); int a_, b_;", 3, 2},
      {"ADeletedMethod", "sample(const sample&) = delete; sample& operator=(const sample&) = default;", 1, 0},
      {"Operators", "bool operator()(int) const; bool operator<(int) const; explicit operator bool() const { return true; }", 3, 0},
      {"ComparisonsAreOperators", "friend bool operator==(sample, sample); auto operator<=>(const sample&) const = default;", 1, 0},
      {"AFunctionAsAMember", "std::function<void(int, int)> leave_; void (*hook_)(int) = nullptr;", 0, 2},
      {"ATemplateAsAMember", "std::map<std::string, std::vector<int>, std::less<>> all_{{1, 2}};", 0, 1},
      {"SeveralNamesInALine", "std::size_t a_ = 0, b_ = size(1, 2), c_{3};", 0, 3},
      {"Constants", "static constexpr int most = f(1); static const int least; static int counted_;", 0, 1},
      {"TypesAndNamesOfThem", "using a = int(int); typedef int b; enum class c { d, e }; struct f; friend class g;", 0, 0},
      {"ANestedClassIsAnotherClass", "struct part { int a; int b(); int c; }; part part_;", 0, 1},
      {"ATypeThatIsDeclaredWithItsMember", "struct { int a; } both_;", 0, 1},
      {"AnElaborateType", "struct tm time_; class other* other_; struct tm read();", 1, 2},
      {"ATemplateAsAMethod", "template <class T, int n = 3> requires wide<T> T read(T&& from) { return from; }", 1, 0},
      {"ReturnsAndExceptions", "auto a() const -> std::array<int, 2>; void b() noexcept(false) override; virtual int c() = 0;", 3, 0},
      {"Attributes", "[[nodiscard]] int a(); alignas(64) std::atomic<int> b_;", 1, 1},
      {"ALambdaAsAValue", "std::function<int()> a_ = [] { return f(1, 2); };", 0, 1},
      {"ABodyWithClasses", "void a() { struct b { int c; }; b d{1}; d.go(); } int e_;", 1, 1},
      {"Bits", "unsigned a_ : 3; unsigned b_ : 5;", 0, 2},
      {"ACommentAndAText", "// void a();\n const char* b_ = \"void c();\";", 0, 1},
  };
  return all;
}

class ClassShape : public testing::TestWithParam<counted> {};

TEST_P(ClassShape, CountsMethodsAndMembers) {
  const counted& given = GetParam();
  const source_file file = make_file("proxy/sample.hpp", "namespace a::b {\nclass sample final : public base<int> {" + given.body + "};\n}\n");
  const file_shape shape = shape_of(file);
  ASSERT_FALSE(shape.classes.empty());
  EXPECT_EQ(shape.classes[0].name, "sample");
  EXPECT_EQ(shape.classes[0].line, 2u);
  EXPECT_EQ(shape.classes[0].methods, given.methods);
  EXPECT_EQ(shape.classes[0].members, given.members);
}

INSTANTIATE_TEST_SUITE_P(Sources, ClassShape, testing::ValuesIn(class_cases()),
                         [](const testing::TestParamInfo<counted>& each) { return each.param.name; });

TEST(ClassShapes, ClassesOfAFileHaveFiguresOfTheirOwn) {
  const file_shape shape = shape_of(make_file("proxy/a.cpp",
                                              "namespace { struct a { int b; struct c { void d(); }; }; }\n"
                                              "template <class T>\nclass e<T*> { int f_, g_; };\nenum class h { i };\nstruct j;\n"));
  ASSERT_EQ(shape.classes.size(), 3u);
  EXPECT_EQ(shape.classes[0].name, "a");
  EXPECT_EQ(shape.classes[0].members, 1u);
  EXPECT_EQ(shape.classes[1].name, "c");
  EXPECT_EQ(shape.classes[1].methods, 1u);
  EXPECT_EQ(shape.classes[2].name, "e");
  EXPECT_EQ(shape.classes[2].members, 2u);
  EXPECT_EQ(shape.classes[2].line, 3u);
}

TEST(ClassShapes, MethodsDefinedOutsideNameTheirClass) {
  const file_shape shape = shape_of(make_file("proxy/a.cpp",
                                              "a::a() : b_{1} {}\na::~a() {}\nstd::optional<d::e> a::f(int) const { g(); }\n"
                                              "bool h::i::operator==(int) { return j::k(); }\nint l() { return m::n(); }\n"
                                              "template <class T>\nvoid o<T, 2>::p() {}\nint q::r = s::t(1);\n"));
  const std::vector<std::string> owners{"a", "a", "a", "i", "o"};
  EXPECT_EQ(shape.owners, owners);
}

TEST(LargeClasses, FortyMethodsAndTwentyMembersMeetTheBounds) {
  EXPECT_TRUE(large_classes(tree_of(class_of(40, 20)), {}).empty());
}

TEST(LargeClasses, TheFortyFirstMethodIsTooMany) {
  const violations found = large_classes(tree_of(class_of(41, 0)), {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(describe(found), "proxy/sample.hpp:1: sample has 41 methods and 0 members, not 40 and 20: split it\n");
}

TEST(LargeClasses, TheTwentyFirstMemberIsTooMany) {
  EXPECT_EQ(large_classes(tree_of(class_of(0, 21)), {}).size(), 1u);
}

TEST(LargeClasses, AListedClassMayKeepItsFigures) {
  constexpr std::array<large_class, 1> listed{{{"sample", 43, 2}}};
  EXPECT_TRUE(large_classes(tree_of(class_of(43, 2)), listed).empty());
  EXPECT_TRUE(large_classes(tree_of(class_of(41, 2)), listed).empty());
}

TEST(LargeClasses, AListedClassMayNotGrow) {
  constexpr std::array<large_class, 1> listed{{{"sample", 43, 2}}};
  EXPECT_EQ(large_classes(tree_of(class_of(44, 2)), listed).size(), 1u);
  EXPECT_EQ(large_classes(tree_of(class_of(43, 3)), listed).size(), 1u);
}

TEST(LargeClasses, AListedClassThatMeetsTheBoundsLeavesTheList) {
  constexpr std::array<large_class, 1> listed{{{"sample", 43, 2}}};
  const violations found = large_classes(tree_of(class_of(40, 2)), listed);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(describe(found).find("remove it from the list"), std::string::npos);
}

TEST(LargeClasses, AListedClassThatIsGoneLeavesTheList) {
  constexpr std::array<large_class, 1> listed{{{"other", 43, 2}}};
  EXPECT_EQ(large_classes(tree_of(class_of(1, 1)), listed).size(), 1u);
}

TEST(LargeClasses, AListedClassMayShareItsNameWithASmallClass) {
  constexpr std::array<large_class, 1> listed{{{"sample", 43, 2}}};
  const source_tree tree = make_tree({{"proxy/sample.hpp", class_of(43, 2)}, {"racing/sample.hpp", class_of(1, 1)}});
  EXPECT_TRUE(large_classes(tree, listed).empty());
}

TEST(LargeClasses, TestsAreNotBound) {
  EXPECT_TRUE(large_classes(make_tree({{"tests/sample.hpp", class_of(41, 21)}}), {}).empty());
}

// Creates a source tree with one header, and with one source file for each of the texts.
source_tree sources(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> files{{"proxy/sample.hpp", "class sample { void a(); void b(); };\n"}};
  for (std::size_t index = 0; index < texts.size(); ++index)
    files.emplace_back("proxy/" + std::string(index == 0 ? "sample" : "more_" + std::to_string(index)) + ".cpp", texts[index]);
  return make_tree(files);
}

TEST(ScatteredClasses, OneSourceForEachClass) {
  EXPECT_TRUE(scattered_classes(sources({"void sample::a() {}\nvoid sample::b() {}\n", "void c() {}\n"}), {}).empty());
}

TEST(ScatteredClasses, ASecondSourceIsReported) {
  const violations found = scattered_classes(sources({"void sample::a() {}\n", "\nvoid sample::b() {}\n"}), {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].path, "proxy/more_1.cpp");
}

TEST(ScatteredClasses, AListedClassMayHaveASecondSource) {
  constexpr std::array<std::string_view, 1> listed{"sample"};
  EXPECT_TRUE(scattered_classes(sources({"void sample::a() {}\n", "void sample::b() {}\n"}), listed).empty());
}

TEST(ScatteredClasses, AListedClassWithOneSourceLeavesTheList) {
  constexpr std::array<std::string_view, 1> listed{"sample"};
  EXPECT_EQ(scattered_classes(sources({"void sample::a() {}\n"}), listed).size(), 1u);
}

TEST(ScatteredClasses, TheHeaderDistinguishesClassesOfOneName) {
  const source_tree tree = make_tree({{"proxy/sample.hpp", "class sample { void a(); };\n"},
                                      {"gateway/sample.hpp", "class sample { void a(); };\n"},
                                      {"proxy/sample.cpp", "#include \"proxy/sample.hpp\"\nvoid sample::a() {}\n"},
                                      {"gateway/sample.cpp", "#include \"gateway/sample.hpp\"\nvoid sample::a() {}\n"},
                                      {"racing/own.cpp", "class sample { void a(); };\nvoid sample::a() {}\n"}});
  EXPECT_TRUE(scattered_classes(tree, {}).empty());
}

TEST(ContinuedFiles, AFileThatContinuesAnotherIsReported) {
  const source_tree tree = make_tree({{"proxy/a.cpp", "// The end of races.\n// A race, continued.\n"},
                                      {"proxy/b.cpp", "// Answers that are continued after they broke off.\n"},
                                      {"proxy/c.cpp", "// Races.\n\nint d;  // races, continued\n"}});
  const violations found = continued_files(tree, {});
  ASSERT_EQ(found.size(), 1u) << describe(found);
  EXPECT_EQ(found[0].path, "proxy/a.cpp");
}

TEST(ContinuedFiles, AListedFileMayContinueAnotherUntilItNoLongerDoes) {
  constexpr std::array<std::string_view, 1> listed{"proxy/a.cpp"};
  EXPECT_TRUE(continued_files(make_tree({{"proxy/a.cpp", "// A race, continued.\n"}}), listed).empty());
  EXPECT_EQ(continued_files(make_tree({{"proxy/a.cpp", "// A race.\n"}}), listed).size(), 1u);
}

}  // namespace
}  // namespace photofinish::style
