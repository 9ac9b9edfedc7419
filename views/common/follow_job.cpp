#include "common/follow_job.h"

#include "common/engine_client.h"
#include "common/format.h"

#include <QCoreApplication>

namespace aotscope::views {

void followJob(EngineClient* engine, QObject* owner, const quint64& job, const JobWords& words) {
    QObject::connect(engine, &EngineClient::waiting, owner,
                     [&job, say = words.say](quint64 number, const QString&, const session::Waiting& wait) {
                         if (number == job) {
                             say(waitText(wait));
                         }
                     });
    QObject::connect(engine, &EngineClient::started, owner,
                     [&job, say = words.say, running = words.running](quint64 number) {
                         if (number == job) {
                             say(running);
                         }
                     });
    QObject::connect(engine, &EngineClient::finished, owner,
                     [end = words.end](quint64 number) { end(number, {}); });
    QObject::connect(engine, &EngineClient::canceled, owner, [end = words.end](quint64 number) {
        end(number, QCoreApplication::translate("aotscope::views::followJob", "Canceled."));
    });
    QObject::connect(engine, &EngineClient::failed, owner,
                     [end = words.end](quint64 number, const QString&, const base::Error& error) {
                         end(number, text(error.text()));
                     });
}

} // namespace aotscope::views
