#include <fmt/format.h>
#include <nanobind/stl/vector.h>

#include "carom/post_impact_set.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/law.hpp"

namespace carom::python {
namespace {

void bind_certificate(nb::module_& module) {
  nb::class_<HoldOut>(module, "HoldOut", "One test of a net on fresh trajectories.")
      .def_ro("trajectories", &HoldOut::trajectories, "that the net was built from")
      .def_ro("first", &HoldOut::first, "index of the first fresh trajectory")
      .def_ro("trials", &HoldOut::trials)
      .def_ro("misses", &HoldOut::misses, "farther than epsilon from the net, or no outcome")
      .def_ro("failures", &HoldOut::failures, "of the misses, those without an outcome")
      .def_ro("confidence", &HoldOut::confidence, "of this test's bound")
      .def_ro("miss_bound", &HoldOut::miss_bound, "upper bound on the miss probability");
  nb::class_<Certificate>(module, "Certificate",
                          "What tests on fresh trajectories say about a net.")
      .def_ro("epsilon", &Certificate::epsilon)
      .def_prop_ro("norm", [](const Certificate& self) { return norm_name(self.norm); })
      .def_ro("confidence", &Certificate::confidence, "of all tests together")
      .def_ro("miss", &Certificate::miss, "wanted bound of a run that grows; 0: none")
      .def_ro("reached", &Certificate::reached, "False: the budget ended before that held")
      .def_prop_ro("law", [](const Certificate& self) { return law_name(self.law); })
      .def_prop_ro(
          "law_options", [](const Certificate& self) { return own_options(self.law); },
          "Options of the law's own.")
      .def_prop_ro("caps", [](const Certificate& self) { return own_option(self.law, "caps"); })
      .def_prop_ro("solutions",
                   [](const Certificate& self) { return own_option(self.law, "solutions"); })
      .def_ro("impulse_step", &Certificate::impulse_step, "N·s")
      .def_ro("max_steps", &Certificate::max_steps)
      .def_ro("tests", &Certificate::tests, "the last one decides")
      .def_prop_ro(
          "miss_bound",
          [](const Certificate& self) {
            return self.tests.empty() ? 1.0 : self.tests.back().miss_bound;
          },
          "of the last test")
      .def("sentence", &Certificate::sentence, "What is claimed, in one exact sentence.")
      .def("__repr__", [](const Certificate& self) {
        return fmt::format("Certificate(\"{}\")", self.sentence());
      });
  nb::class_<SolutionAudit>(module, "SolutionAudit",
                            "How often the lines of a run missed a solution of a step.")
      .def_ro("steps", &SolutionAudit::steps, "compared with a search that misses none")
      .def_ro("incomplete", &SolutionAudit::incomplete, "further steps that were not searched")
      .def_ro("missed_steps", &SolutionAudit::missed_steps, "of which a solution was missed")
      .def_ro("partial_steps", &SolutionAudit::partial_steps,
              "further steps of which a part of a continuum was missed")
      .def_ro("solutions", &SolutionAudit::solutions, "of all steps compared")
      .def_ro("missed_solutions", &SolutionAudit::missed_solutions)
      .def_ro("miss_bound", &SolutionAudit::miss_bound,
              "upper bound at 95 % on the share of steps of which a solution is missed")
      .def("sentence", &SolutionAudit::sentence, "What was found, in one sentence.")
      .def("__repr__", [](const SolutionAudit& self) {
        return fmt::format("SolutionAudit(\"{}\")", self.sentence());
      });
}

void bind_comparison(nb::module_& module) {
  nb::class_<LawOutcome>(module, "LawOutcome",
                         "The outcome of a law that fixes the order of impulses.")
      .def_prop_ro("law",
                   [](const LawOutcome& self) { return compared_law_name(self.law); })
      .def_ro("order", &LawOutcome::order,
              "of a sequence: \"A,B\"; of a simultaneous one its contact modes")
      .def_prop_ro(
          "velocity",
          [](nb::handle self) { return view_of(self, nb::cast<const LawOutcome&>(self).velocity); },
          "(nv,)")
      .def_ro("energy", &LawOutcome::energy, "J")
      .def_ro("terminated", &LawOutcome::terminated, "False: a contact still approaches")
      .def_ro("unique", &LawOutcome::unique)
      .def_ro("stages", &LawOutcome::stages)
      .def_ro("largest_impulse", &LawOutcome::largest_impulse,
              "N·s, normal, of a contact in one stage")
      .def_ro("net_distance", &LawOutcome::net_distance, "to the nearest member of the net");
  nb::class_<SoughtOutcome>(module, "SoughtOutcome",
                            "The outcome that a search found at one end of a quantity.")
      .def_ro("objective", &SoughtOutcome::objective, "\"least normal velocity of A\"")
      .def_ro("greatest", &SoughtOutcome::greatest, "which end of the quantity was sought")
      .def_prop_ro(
          "direction",
          [](const SoughtOutcome& self) {
            return own(std::vector<double>(self.direction), {self.direction.size()});
          },
          nb::rv_policy::move, "(nv,): the quantity is its product with the velocity")
      .def_ro("sampled", &SoughtOutcome::sampled, "the quantity's end among the run's outcomes")
      .def_ro("found", &SoughtOutcome::found, "the quantity of `velocity`")
      .def_prop_ro("gain", &SoughtOutcome::gain,
                   "how far `found` lies beyond `sampled`; 0 up to `tolerance`")
      .def_ro("tolerance", &SoughtOutcome::tolerance,
              "of the quantity: what 1 % of epsilon can make of it")
      .def_prop_ro(
          "velocity",
          [](const SoughtOutcome& self) {
            return own(std::vector<double>(self.velocity), {self.velocity.size()});
          },
          nb::rv_policy::move, "(nv,)")
      .def_ro("net_distance", &SoughtOutcome::net_distance)
      .def_ro("evaluations", &SoughtOutcome::evaluations);
}

void bind_net(nb::module_& module) {
  nb::class_<EpsilonNet>(module, "EpsilonNet", "Members such that every outcome is near one.")
      .def("__len__", &EpsilonNet::size)
      .def_prop_ro("epsilon", &EpsilonNet::epsilon)
      .def_prop_ro(
          "index",
          [](nb::handle self) {
            const auto& index = nb::cast<const EpsilonNet&>(self).index();
            return view_of(self, index.data(), {index.size()});
          },
          "(members,): trajectory of each; 2^63 + its number for a sought outcome, 2^63 + 2^62 + its row for "
          "one of the search")
      .def_prop_ro(
          "velocity",
          [](nb::handle self) {
            return view_of(self, nb::cast<const EpsilonNet&>(self).velocity_rows());
          },
          "(members, nv)");
  nb::class_<NetSelection>(module, "NetSelection", "Outcomes chosen far apart.")
      .def_prop_ro(
          "index",
          [](const NetSelection& self) {
            return own(std::vector<std::uint64_t>(self.index), {self.index.size()});
          },
          nb::rv_policy::move, "(K,): trajectories, in the order of their choice")
      .def_prop_ro(
          "velocity",
          [](const NetSelection& self) { return own(RowMatrix(self.velocity_rows())); },
          nb::rv_policy::move, "(K, nv)")
      .def_ro("epsilon", &NetSelection::epsilon, "every outcome lies within this of one of them");
  nb::class_<NetCheck>(module, "NetCheck",
                       "What a check of the net, with all outcomes sampled again, found.")
      .def_ro("cover", &NetCheck::cover, "greatest distance of an outcome to the net")
      .def_ro("packing", &NetCheck::packing, "least distance between two members")
      .def_ro("holds", &NetCheck::holds);
}

}  // namespace

void bind_evidence(nb::module_& module) {
  bind_net(module);
  bind_certificate(module);
  bind_comparison(module);
}

}  // namespace carom::python
