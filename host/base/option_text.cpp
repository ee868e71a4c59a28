#include "host/base/option_text.hpp"

#include "carom/error.hpp"
#include "host/base/option_words.hpp"

namespace carom {

void parse_option(const std::string& text, const std::string& place, CapsDistribution& caps) {
  try {
    caps = parse_caps(text);
  } catch (const InputError& error) {  // "caps ..."
    const std::string message = error.what();
    const std::string name = "caps";
    if (place == name || !message.starts_with(name)) throw;
    throw InputError(place + message.substr(name.size()));
  }
}

void parse_option(const std::string& text, const std::string& place, Solutions& solutions) {
  solutions = parse_solutions(text, place);
}

}  // namespace carom
