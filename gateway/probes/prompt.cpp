#include "gateway/probes/prompt.hpp"

#include "gateway/probes/chance.hpp"

#include <array>
#include <string_view>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 128> words{
    "river",  "stone",  "house",  "light",  "water",  "green",   "paper",  "music",   "train",  "north",  "winter",
    "summer", "garden", "street", "bridge", "window", "market",  "island", "forest",  "animal", "letter", "number",
    "silver", "golden", "yellow", "purple", "orange", "circle",  "square", "corner",  "village", "city",  "country",
    "ocean",  "mountain", "valley", "field", "road",  "path",    "tree",   "leaf",    "root",   "branch", "flower",
    "bird",   "horse",  "fish",   "cloud",  "rain",   "snow",    "wind",   "storm",   "sun",    "moon",   "star",
    "earth",  "fire",   "metal",  "wood",   "glass",  "iron",    "salt",   "sugar",   "bread",  "milk",   "coffee",
    "apple",  "table",  "chair",  "door",   "wall",   "floor",   "roof",   "room",    "kitchen", "school", "teacher",
    "student", "doctor", "nurse", "farmer", "driver", "writer",  "artist", "singer",  "dancer", "player", "friend",
    "family", "mother", "father", "sister", "brother", "child",  "people", "person",  "group",  "team",   "game",
    "story",  "book",   "page",   "word",   "line",   "picture", "color",  "sound",   "voice",  "song",   "dream",
    "idea",   "plan",   "work",   "office", "machine", "engine", "wheel",  "boat",    "ship",   "plane",  "car",
    "bus",    "bicycle", "travel", "visit", "morning", "evening", "night"};

constexpr std::string_view task = ".\nTell a very long story with all of these words.";
constexpr std::size_t task_tokens = 12;

}  // namespace

std::string make_prompt(std::size_t tokens, std::uint64_t seed, std::uint64_t number) {
  // Prompts differ from their first word on, so that a prompt cache finds no common prefix.
  chance draw(mixed_seed(seed, number));
  std::string prompt(words[draw.below(words.size())]);
  for (std::size_t i = task_tokens + 1; i < tokens; ++i) prompt.append(" ").append(words[draw.below(words.size())]);
  return prompt.append(task);
}

}  // namespace photofinish::gateway
