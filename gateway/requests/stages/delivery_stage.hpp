// Delivers the winner's answer to the client within the limits of the route. Adds the cost of the answer if the client
// asks for it.
#pragma once

#include "gateway/relay/crawl_watch.hpp"
#include "gateway/relay/winner_reader.hpp"
#include "gateway/requests/stages/cache_stage.hpp"
#include "racing/race_run.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace photofinish::gateway {

class delivery_stage {
 public:
  // The arguments of the constructor must outlive the stage.
  delivery_stage(request_context& context, cache_stage& cache, client_reply& reply)
      : context_(context), cache_(cache), reply_(reply) {}

  // Call prepare() when the race has a winner. Creates the writer of the winner's answer. The plan may be freed after
  // this call.
  void prepare(racing::race_run& run, const request_plan& plan);
  boost::asio::awaitable<relayed> deliver(racing::race_run& run, client_answer& to);

 private:
  void show_costs(const racing::race_run& run, client_answer& to);
  std::string cost_text(const racing::race_run& run) const;
  void note_decision(racing::race_run& run);
  void watch_crawl(crawl_watch& watch, winner_reader& winner, racing::race_run& run, client_answer& to);
  metrics::crawl_end end_of_crawl(const racing::race_run& run, const client_answer& to) const;

  request_context& context_;
  cache_stage& cache_;
  client_reply& reply_;
};

}  // namespace photofinish::gateway
