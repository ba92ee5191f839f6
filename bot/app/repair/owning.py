"""Who owns what a step would change, read from the cluster at that moment."""

from __future__ import annotations

from bot.app.ports import Cluster, Read
from bot.app.repair.ports import ConfigMaps
from bot.app.scope import SECTION_OF
from bot.model.refs import Ref
from bot.remedy.owners import UNKNOWN, Owner, owner_among


class ClusterOwners:
    """`app.repair.ports.Owners` over the cluster; `configmaps` reads what the bot may not list."""

    def __init__(self, cluster: Cluster, configmaps: ConfigMaps | None = None) -> None:
        self._cluster = cluster
        self._configmaps = configmaps

    def owner(self, ref: Ref) -> Owner:
        """The owner; unknown where the object could not be read, so that the change is handed over."""
        section = SECTION_OF.get(ref.kind)
        if section is not None:
            (pages,) = self._cluster.read([Read(section=section, namespace=ref.namespace, name=ref.name)])
            return owner_among(ref, pages.objects) if isinstance(pages.objects, tuple) else UNKNOWN
        found = self._configmaps.configmaps([ref]) if self._configmaps and ref.kind == "configmap" else ()
        return owner_among(ref, found) if isinstance(found, tuple) else UNKNOWN
