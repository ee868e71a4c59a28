#pragma once

#include <string>

#include "carom/error.hpp"

namespace carom {

/// An InputError that knows which field of a scenario it is about, so that the scenario reader can
/// put file and line before the message. The message is complete without them.
class FieldError : public InputError {
 public:
  /// @param path the field as a TOML path: "problem.friction[1]", "sampling.epsilon"
  FieldError(std::string path, const std::string& message)
      : InputError(message), path_(std::move(path)) {}

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A motion has no impact.
class NoImpact : public FieldError {
 public:
  using FieldError::FieldError;
};

}  // namespace carom
