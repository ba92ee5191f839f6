"""KubeVirt's objects."""

from __future__ import annotations

from bot.model.objects.meta import Condition, KubeObject, KubeStruct

#: virt-handler writes it about once a minute into the node's annotations (kubevirt `api/core/v1` VirtHandlerHeartbeat).
HEARTBEAT = "kubevirt.io/heartbeat"


class HostDevice(KubeStruct, frozen=True, kw_only=True):
    """A passthrough device that a VM asks for, by resource name."""

    device_name: str = ""


class Devices(KubeStruct, frozen=True, kw_only=True):
    """`domain.devices`."""

    gpus: tuple[HostDevice, ...] = ()
    host_devices: tuple[HostDevice, ...] = ()


class Domain(KubeStruct, frozen=True, kw_only=True):
    """`spec.domain`."""

    devices: Devices = Devices()


class VirtualMachineInstanceSpec(KubeStruct, frozen=True, kw_only=True):
    """The `spec` of an instance, and of a VM's template."""

    domain: Domain = Domain()


class VirtualMachineTemplate(KubeStruct, frozen=True, kw_only=True):
    """A VM's `spec.template`."""

    spec: VirtualMachineInstanceSpec = VirtualMachineInstanceSpec()


class VirtualMachineSpec(KubeStruct, frozen=True, kw_only=True):
    """A VM's `spec`."""

    run_strategy: str = ""
    running: bool | None = None
    template: VirtualMachineTemplate = VirtualMachineTemplate()


class VirtualMachineStatus(KubeStruct, frozen=True, kw_only=True):
    """A VM's `status`."""

    printable_status: str = ""
    conditions: tuple[Condition, ...] = ()


class VirtualMachine(KubeObject, frozen=True, kw_only=True):
    """kubevirt.io/v1 VirtualMachine."""

    spec: VirtualMachineSpec = VirtualMachineSpec()
    status: VirtualMachineStatus = VirtualMachineStatus()

    @property
    def devices(self) -> tuple[str, ...]:
        """Resource names of the passthrough devices that it asks for."""
        devices = self.spec.template.spec.domain.devices
        return tuple(device.device_name for device in devices.gpus + devices.host_devices if device.device_name)


class VirtualMachineInstanceStatus(KubeStruct, frozen=True, kw_only=True):
    """An instance's `status`."""

    phase: str = ""
    node_name: str = ""
    conditions: tuple[Condition, ...] = ()


class VirtualMachineInstance(KubeObject, frozen=True, kw_only=True):
    """kubevirt.io/v1 VirtualMachineInstance."""

    spec: VirtualMachineInstanceSpec = VirtualMachineInstanceSpec()
    status: VirtualMachineInstanceStatus = VirtualMachineInstanceStatus()


class PermittedDevice(KubeStruct, frozen=True, kw_only=True):
    """An entry of `permittedHostDevices.pciHostDevices` or `.mediatedDevices`."""

    resource_name: str
    pci_vendor_selector: str = ""
    mdev_name_selector: str = ""
    external_resource_provider: bool = False


class PermittedHostDevices(KubeStruct, frozen=True, kw_only=True):
    """`spec.configuration.permittedHostDevices`."""

    pci_host_devices: tuple[PermittedDevice, ...] = ()
    mediated_devices: tuple[PermittedDevice, ...] = ()


class KubeVirtConfiguration(KubeStruct, frozen=True, kw_only=True):
    """`spec.configuration`."""

    permitted_host_devices: PermittedHostDevices = PermittedHostDevices()


class KubeVirtSpec(KubeStruct, frozen=True, kw_only=True):
    """A KubeVirt's `spec`."""

    configuration: KubeVirtConfiguration = KubeVirtConfiguration()


class KubeVirt(KubeObject, frozen=True, kw_only=True):
    """kubevirt.io/v1 KubeVirt, the configuration of the installation."""

    spec: KubeVirtSpec = KubeVirtSpec()
