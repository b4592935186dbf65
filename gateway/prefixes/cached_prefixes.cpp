#include "gateway/prefixes/cached_prefixes.hpp"

namespace photofinish::gateway {

std::array<racing::prefix_entry, 2> cached_prefixes(const prompt_chain& chain, const cache_habits& habits,
                                                    racing::prefix_holder holder, racing::prefix_caller caller,
                                                    racing::prefix_seconds used) {
  std::array<racing::prefix_entry, 2> all{};
  if (!can_be_warm(chain, habits)) return all;
  const std::chrono::minutes usual = chain.retention.count() > 0 ? chain.retention : habits.life;
  const auto fill = [&](racing::prefix_entry& into, const racing::prefix_boundary& prefix, cache_marks::life mark) {
    if (prefix.tokens < habits.minimum || (habits.needs_marks && !mark)) return;
    const bool is_of_mark = habits.needs_marks && mark->count() > 0;
    into = {prefix, holder, caller, used, is_of_mark ? *mark : usual};
  };
  fill(all[0], chain.root(), chain.marks.of_root);
  const racing::prefix_boundary& last = habits.needs_marks ? chain.marks.last : chain.end();
  if (last.hash != chain.root().hash) fill(all[1], last, chain.marks.of_last);
  return all;
}

}  // namespace photofinish::gateway
