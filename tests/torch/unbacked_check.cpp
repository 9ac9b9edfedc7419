#include "unbacked_check.h"

#include "fake/shape_environment.h"

namespace aotscope::test {

namespace {

c10::SymBool condition(const UnbackedQuestion& question, const c10::SymInt& number) {
    const c10::SymInt left = number * question.factor;
    const c10::SymInt right = question.number;
    return question.relation == "eq"   ? left.sym_eq(right)
           : question.relation == "ne" ? left.sym_ne(right)
           : question.relation == "lt" ? left.sym_lt(right)
           : question.relation == "le" ? left.sym_le(right)
           : question.relation == "gt" ? left.sym_gt(right)
                                       : left.sym_ge(right);
}

} // namespace

UnbackedAnswers answersTo(const UnbackedQuestion& question) {
    torch::ShapeEnvironment environment{aot::TraceRules()};
    environment.takeAsserted({question.asserted.begin(), question.asserted.end()});
    environment.enterNode(&question, "item", {"u0"});
    const c10::SymBool asked = condition(question, environment.unbackedInt(question.least, question.most));
    UnbackedAnswers answers;
    answers.orFalse = asked.guard_or_false(__FILE__, __LINE__);
    answers.orTrue = asked.guard_or_true(__FILE__, __LINE__);
    answers.isKnownTrue = asked.toSymNodeImpl()->statically_known_true(__FILE__, __LINE__);
    try {
        answers.guarded = asked.guard_bool(__FILE__, __LINE__);
    } catch (const c10::Error& error) {
        answers.error = error.what_without_backtrace();
    }
    answers.guards = environment.guards().size();
    return answers;
}

} // namespace aotscope::test
